// Starts `trainc lsp` for .train files, once, when the folder is trusted; says what to install where it is missing.
'use strict';

const vscode = require('vscode');
const { INSTALL, find, missing } = require('./server');

let client;
// Starts and stops follow one another, whatever order the events come in.
let turn = Promise.resolve();

function inTurn(work) {
  turn = turn.then(work, work);
  return turn;
}

function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('trainc.restart', restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('trainc.path')) return restart();
    }),
  );
  return inTurn(start);
}

function deactivate() {
  return inTurn(stop);
}

function restart() {
  return inTurn(async () => {
    await stop();
    await start();
  });
}

async function start() {
  if (!vscode.workspace.isTrusted) return;
  const setting = vscode.workspace.getConfiguration('trainc').get('path', 'trainc');
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  const command = find(setting, { folders: folders.map((folder) => folder.uri.fsPath) });
  // Not awaited: a message stays until it is answered, and the next start must not wait for that.
  if (command === undefined) return void tell(missing(setting));
  await launch(command);
}

async function launch(command) {
  // Only here, so that an editor without trainc does not load it.
  const { LanguageClient, TransportKind } = require('vscode-languageclient/node');
  const run = { command, args: ['lsp'], transport: TransportKind.stdio };
  const options = { documentSelector: [{ scheme: 'file', language: 'train' }, { scheme: 'untitled', language: 'train' }] };
  const started = new LanguageClient('trainc', 'trainc', run, options);
  try {
    await started.start();
    client = started;
  } catch (fault) {
    started.outputChannel.appendLine(String(fault));
    tell(`"${command} lsp" did not start. It may be too old, or lack an extra: run ${INSTALL} --upgrade.`, started.outputChannel);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) await running.dispose();
}

async function tell(message, output) {
  const buttons = output ? ['Show output', 'Open setting'] : ['Copy command', 'Open setting'];
  const answer = await vscode.window.showErrorMessage(message, ...buttons);
  if (answer === 'Open setting') await vscode.commands.executeCommand('workbench.action.openSettings', 'trainc.path');
  if (answer === 'Copy command') await vscode.env.clipboard.writeText(INSTALL);
  if (answer === 'Show output') output.show();
}

module.exports = { activate, deactivate };
