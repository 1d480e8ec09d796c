#!/usr/bin/env node
/** Old JavaScript, because a Node that is too old must be able to read this file. */
'use strict';

// At SIGUSR1 Node opens a debugger, through which any program on this machine could read the key.
process.on('SIGUSR1', function () {});
// A SIGUSR1 that came earlier opens the debugger in the first turn of the event loop, or later on a busy machine.
setImmediate(closeDebugger);
setTimeout(closeDebugger, 100).unref();

var fs = require('fs');
var path = require('path');

var MAJOR = 22;
var MINOR = 20;
var parts = process.versions.node.split('.');

if (Number(parts[0]) > MAJOR || (Number(parts[0]) === MAJOR && Number(parts[1]) >= MINOR)) {
  if (process.env.SVC_LAUNCHER !== undefined) ofClone('./lifeline.js', 'hold');
  begin();
} else if (!ofClone('./launcher.js', 'launch', refuse)) {
  refuse('');
}

/** A debugger that was asked for on the command line stays open. */
function closeDebugger() {
  var asked = [process.env.NODE_OPTIONS].concat(process.execArgv).join(' ');
  if (!/--(inspect|require|import)|-r\b/.test(asked) && process._debugEnd) process._debugEnd();
}

function begin() {
  var built = path.join(__dirname, '..', 'dist', 'begin.cjs');
  if (fs.existsSync(built)) {
    require(built);
  } else {
    process.stderr.write('svc is not built yet: run `npm run build`.\n');
    process.exit(1);
  }
}

function ofClone(file, name, argument) {
  if (!fs.existsSync(path.join(__dirname, file))) return false;
  require(file)[name](argument);
  return true;
}

/** @param detail why what was tried instead does not do either; may be empty */
function refuse(detail) {
  var needed = 'svc needs Node ' + MAJOR + '.' + MINOR + ' or newer, and this is ' + process.versions.node;
  var where = ' (' + process.execPath + ')' + (detail && ', ' + detail);
  process.stderr.write(needed + where + '. Install a newer Node, or svc as one file that needs none.\n');
  process.exit(1);
}
