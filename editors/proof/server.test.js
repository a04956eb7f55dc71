// What the VS Code extension starts, and what it says where there is nothing to start. Run by `make editors`.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { afterEach, beforeEach, test } = require('node:test');

const EXTENSION = path.join(__dirname, '..', 'vscode');
const { find, missing } = require(path.join(EXTENSION, 'server.js'));

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

// The extension itself, with as much of an editor as it uses before it starts a server.
function activate({ trusted, setting = 'no-such-program', answer }) {
  const said = [];
  const copied = [];
  const editor = {
    commands: { registerCommand: () => ({}), executeCommand: async (...words) => copied.push(words.join(' ')) },
    env: { clipboard: { writeText: async (text) => copied.push(text) } },
    window: {
      showErrorMessage: async (message, ...buttons) => {
        said.push([message, buttons]);
        return answer;
      },
    },
    workspace: {
      isTrusted: trusted,
      workspaceFolders: undefined,
      getConfiguration: () => ({ get: () => setting }),
      onDidGrantWorkspaceTrust: () => ({}),
      onDidChangeConfiguration: () => ({}),
    },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? editor : load(name, ...rest));
  const file = path.join(EXTENSION, 'extension.js');
  delete require.cache[file];
  const { activate: start } = require(file);
  Module._load = load;
  return start({ subscriptions: [] }).then(() => new Promise((resolve) => setImmediate(() => resolve({ said, copied }))));
}

test('without trainc it says so once, and offers the command', async () => {
  const { said, copied } = await activate({ trusted: true, answer: 'Copy command' });
  assert.strictEqual(said.length, 1);
  assert.match(said[0][0], /no-such-program/);
  assert.deepStrictEqual(copied, ['pip install "trainc[lsp]"']);
});

test('the setting is opened on request', async () => {
  const { copied } = await activate({ trusted: true, answer: 'Open setting' });
  assert.deepStrictEqual(copied, ['workbench.action.openSettings trainc.path']);
});

test('in a folder that is not trusted nothing is started and nothing said', async () => {
  const { said } = await activate({ trusted: false });
  assert.deepStrictEqual(said, []);
});
