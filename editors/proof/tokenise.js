// Reads {name: text} as JSON from standard input; writes {name: [[line, start, end, scopes], ...]} with columns in code points.
'use strict';

const fs = require('fs');
const path = require('path');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const GRAMMAR = path.join(__dirname, '..', 'vscode', 'syntaxes', 'train.tmLanguage.json');

async function load() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(GRAMMAR, 'utf8'), GRAMMAR),
  });
  return registry.loadGrammar('source.train');
}

function tokenise(grammar, text) {
  const rows = [];
  let stack = textmate.INITIAL;
  text.split('\n').forEach((raw, index) => {
    // An editor hands lines over without their line end.
    const line = raw.replace(/\r$/, '');
    const column = (offset) => Array.from(line.slice(0, offset)).length;
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const end = Math.min(token.endIndex, line.length);
      if (token.startIndex < end) rows.push([index, column(token.startIndex), column(end), token.scopes]);
    }
  });
  return rows;
}

load().then((grammar) => {
  const texts = JSON.parse(fs.readFileSync(0, 'utf8'));
  const rows = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, tokenise(grammar, text)]));
  fs.writeSync(1, JSON.stringify(rows));
});
