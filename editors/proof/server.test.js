// What the VS Code extension starts, and what it says where there is nothing to start. Run by `make editors`.
'use strict';

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { afterEach, beforeEach, test } = require('node:test');

const EXTENSION = path.join(__dirname, '..', 'vscode');
const { find, missing } = require(path.join(EXTENSION, 'server.js'));
const { editor, opened } = require('./editor.js');

let root;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'trainc-'));
});

afterEach(() => {
  fs.rmSync(root, { recursive: true });
});

function place(...parts) {
  const file = path.join(root, ...parts);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

test('the virtual environment of the folder comes before PATH', () => {
  const environment = { PATH: path.join(root, 'bin') };
  const global = place('bin', 'trainc');
  assert.strictEqual(find('trainc', { folders: [root], environment, platform: 'linux' }), global);
  const own = place('.venv', 'bin', 'trainc');
  assert.strictEqual(find('trainc', { folders: [root], environment, platform: 'linux' }), own);
});

test('a relative path is one below the folder', () => {
  const own = place('tools', 'trainc');
  assert.strictEqual(find('tools/trainc', { folders: [root], environment: {} }), own);
});

test('a program in the current folder is never picked up', () => {
  place('trainc');
  const before = process.cwd();
  process.chdir(root);
  try {
    assert.strictEqual(find('trainc', { environment: { PATH: `.${path.delimiter}` } }), undefined);
  } finally {
    process.chdir(before);
  }
});

test('a folder and a file that may not run are no program', () => {
  fs.mkdirSync(path.join(root, 'bin', 'trainc'), { recursive: true });
  fs.writeFileSync(path.join(root, 'plain'), '', { mode: 0o644 });
  assert.strictEqual(find('trainc', { environment: { PATH: path.join(root, 'bin') } }), undefined);
  assert.strictEqual(find(path.join(root, 'plain'), {}), undefined);
});

test('on Windows the program ends in .exe', () => {
  const own = place('.venv', 'Scripts', 'trainc.exe');
  assert.strictEqual(find('trainc', { folders: [root], environment: {}, platform: 'win32' }), own);
});

test('the message says what to install, or that the setting is wrong', () => {
  assert.match(missing('trainc'), /pip install "trainc\[lsp\]"/);
  assert.match(missing('/no/where'), /trainc\.path is "\/no\/where"/);
});

// The extension itself, in a stand-in for the editor.
async function activate(options) {
  const seen = { said: [], copied: [], published: [] };
  const stand = editor(options, seen);
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? stand : load(name, ...rest));
  try {
    // Anew each time, with the language client, which keeps the editor that it met first.
    for (const file of Object.keys(require.cache)) if (file.startsWith(EXTENSION)) delete require.cache[file];
    const extension = require(path.join(EXTENSION, 'extension.js'));
    await extension.activate({ subscriptions: [] });
    await new Promise((resolve) => setImmediate(resolve));
    return { ...seen, extension };
  } finally {
    Module._load = load;
  }
}

test('without trainc it says so once, and offers the command', async () => {
  const { said, copied } = await activate({ setting: 'no-such-program', answer: 'Copy command' });
  assert.strictEqual(said.length, 1);
  assert.match(said[0][0], /no-such-program/);
  assert.deepStrictEqual(copied, ['pip install "trainc[lsp]"']);
});

test('the setting is opened on request', async () => {
  const { copied } = await activate({ setting: 'no-such-program', answer: 'Open setting' });
  assert.deepStrictEqual(copied, ['workbench.action.openSettings trainc.path']);
});

test('in a folder that is not trusted nothing is started and nothing said', async () => {
  const { said } = await activate({ trusted: false, setting: 'no-such-program' });
  assert.deepStrictEqual(said, []);
});

test('a program that is no language server is said to be none', async () => {
  const { said } = await activate({ setting: place('false'), folder: root });
  assert.match(said.at(-1)[0], /false lsp" did not start/);
});

// `make editors` names the trainc of its environment.
const TRAINC = process.env.TRAINC;
const serves = TRAINC !== undefined && spawnSync(TRAINC, ['lsp', '--help']).status === 0;

test('the language server is started, its findings are shown, and it is stopped', { skip: !serves && 'this trainc serves no editors' }, async () => {
  const text = 'let x = (1\n';
  fs.writeFileSync(path.join(root, 'a b.train'), text);
  const document = opened(path.join(root, 'a b.train'), text);
  const { said, published, extension } = await activate({ setting: TRAINC, folder: root, document });
  for (let tries = 0; published.length === 0 && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  await extension.deactivate();
  assert.deepStrictEqual(said, []);
  assert.strictEqual(published[0][0], document.uri.toString());
  assert.match(published[0][1][0].message, /`\(` is not closed/);
});
