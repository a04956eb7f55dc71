"""The protocol as pygls speaks it, but that a request which cannot be read is answered: an editor would wait for it forever."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol


class AnsweringProtocol(LanguageServerProtocol):
    """Answers malformed requests with an error."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The typed message; raises what pygls raises."""
        try:
            return super().structure_message(data)
        except JsonRpcException as fault:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, fault.to_response_error())
            raise
