// A stand-in for VS Code: as much of its interface as the extension and its language client use, for one open document.
'use strict';

const { pathToFileURL, fileURLToPath } = require('node:url');

const nothing = () => ({ dispose() {} });

class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = (listener, self) => {
      this.listeners.push(self ? listener.bind(self) : listener);
      return nothing();
    };
  }

  fire(event) {
    this.listeners.forEach((listener) => listener(event));
  }

  dispose() {}
}

class Disposable {
  constructor(work) {
    this.work = work;
  }

  dispose() {
    this.work?.();
  }
}

class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: nothing };
  }

  cancel() {
    this.token.isCancellationRequested = true;
  }

  dispose() {}
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(line, character, endLine, endCharacter) {
    Object.assign(this, { start: new Position(line, character), end: new Position(endLine, endCharacter) });
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }

  append(part) {
    return new CodeActionKind([this.value, part].filter(Boolean).join('.'));
  }
}
for (const kind of ['Empty', 'QuickFix', 'Refactor', 'Source']) CodeActionKind[kind] = new CodeActionKind(kind);

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.split(':')[0];
    this.fsPath = this.scheme === 'file' ? fileURLToPath(text) : text;
  }

  toString() {
    return this.text;
  }

  static parse(text) {
    return new Uri(text);
  }

  static file(path) {
    return new Uri(pathToFileURL(path).href);
  }
}

// A part of the interface: whatever is not said registers, creates or listens to nothing.
function part(known) {
  return new Proxy(known, {
    get(target, name) {
      if (name in target || typeof name === 'symbol') return target[name];
      return /^(?:on[A-Z]|register|create)/.test(name) ? nothing : undefined;
    },
  });
}

// Enums and data classes: any member of an enum is its own name.
function plain() {
  return new Proxy(class {}, {
    get: (target, name) => (name in target || typeof name === 'symbol' || !/^[A-Z]/.test(name) ? target[name] : name),
  });
}

// `seen` receives what the user would see: `said` and `copied` texts, `published` pairs of a file and its diagnostics.
function editor({ trusted = true, setting = 'trainc', answer, folder, document }, seen) {
  const channel = { ...Object.fromEntries(['append', 'appendLine', 'info', 'warn', 'error', 'debug', 'trace', 'show', 'dispose'].map((name) => [name, () => {}])) };
  const documents = document ? [document] : [];
  const known = {
    __esModule: true,
    CancellationTokenSource,
    CodeActionKind,
    Diagnostic,
    Disposable,
    EventEmitter,
    Position,
    Range,
    Uri,
    version: '1.91.0',
    commands: part({ executeCommand: async (...words) => void seen.copied.push(words.join(' ')) }),
    env: part({ appName: 'stand-in', language: 'en', clipboard: { writeText: async (text) => void seen.copied.push(text) } }),
    extensions: part({ all: [] }),
    languages: part({
      match: () => 10,
      createDiagnosticCollection: () => ({
        set: (uri, diagnostics) => seen.published.push([uri.toString(), diagnostics ?? []]),
        delete() {},
        clear() {},
        dispose() {},
        forEach() {},
        has: () => false,
      }),
    }),
    window: part({
      visibleTextEditors: [],
      tabGroups: part({ all: documents.map(({ uri }) => ({ tabs: [{ input: { uri } }] })) }),
      createOutputChannel: () => ({ ...channel, onDidChangeLogLevel: nothing }),
      showErrorMessage: async (message, ...buttons) => {
        seen.said.push([message, buttons]);
        return answer;
      },
    }),
    workspace: part({
      isTrusted: trusted,
      workspaceFolders: folder && [{ uri: Uri.file(folder), name: 'folder', index: 0 }],
      textDocuments: documents,
      notebookDocuments: [],
      getConfiguration: () => ({ get: (name, otherwise) => (name === 'path' ? setting : otherwise), has: () => false }),
      getWorkspaceFolder: () => undefined,
    }),
  };
  return new Proxy(known, {
    get(target, name) {
      if (!(name in target) && typeof name === 'string' && /^[A-Z]/.test(name)) target[name] = plain();
      return target[name];
    },
  });
}

// A document as an editor holds it open.
function opened(path, text) {
  return { uri: Uri.file(path), fileName: path, languageId: 'train', version: 1, isClosed: false, getText: () => text };
}

module.exports = { editor, opened };
