from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from trainc.dsl.diagnostics import Related, error
from trainc.dsl.render_checkstyle import render as checkstyle
from trainc.dsl.render_junit import render as junit
from trainc.dsl.report import Checked, Report
from trainc.dsl.source import Source, Span
from trainc.dsl.xml_text import escaped, opening

# Surrogates too: a file's name need not be valid text.
ANY_TEXT = st.text(st.characters(codec=None))
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@given(ANY_TEXT)
def test_any_text_comes_back_but_for_what_xml_cannot_hold(text: str) -> None:
    element = ElementTree.fromstring(f"{opening('a', b=text)}>{escaped(text)}</a>")
    shown = UNWRITABLE.sub("\ufffd", text)
    assert element.get("b") == shown
    assert (element.text or "") == shown


@given(ANY_TEXT, ANY_TEXT)
def test_reports_are_well_formed_whatever_was_found(name: str, text: str) -> None:
    span = Span(Source(name, text), 0, len(text))
    finding = error("TRN101", text, span, Related(span, text), help=text)
    report = Report((Checked(name, (finding,)),), "/", lambda code: None)
    for render in (junit, checkstyle):
        written = render(report)
        ElementTree.fromstring(written)
        assert written.isascii()
