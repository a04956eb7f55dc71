// Finds the trainc program, without any editor: what to start, or what to tell the user.
'use strict';

const fs = require('fs');
const path = require('path');

const INSTALL = 'pip install "trainc[lsp]"';

// The absolute path of `trainc`: as set, else from the virtual environment of an open folder, else from PATH.
function find(setting, { folders = [], environment = process.env, platform = process.platform } = {}) {
  const names = platform === 'win32' && !path.extname(setting) ? [`${setting}.exe`, setting] : [setting];
  const isPath = setting.includes('/') || setting.includes(path.sep);
  const places = isPath ? folderPaths(setting, folders) : [...virtualEnvironments(folders, platform), ...searchPath(environment)];
  const candidates = isPath ? places : places.flatMap((place) => names.map((name) => path.join(place, name)));
  return candidates.find(isProgram);
}

function folderPaths(setting, folders) {
  return path.isAbsolute(setting) ? [setting] : folders.map((folder) => path.resolve(folder, setting));
}

function searchPath(environment) {
  // Relative entries would mean the folder the editor was started in, which is nobody's choice.
  return (environment.PATH ?? environment.Path ?? '').split(path.delimiter).filter((place) => path.isAbsolute(place));
}

function virtualEnvironments(folders, platform) {
  return folders.map((folder) => path.join(folder, '.venv', platform === 'win32' ? 'Scripts' : 'bin'));
}

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function missing(setting) {
  return setting === 'trainc'
    ? `trainc is not installed: findings, hover and completion need it. Run ${INSTALL} (Python 3.11 or newer), or set trainc.path.`
    : `trainc.path is "${setting}", which is no program. Correct it, or run ${INSTALL} and leave it out.`;
}

module.exports = { INSTALL, find, missing };
