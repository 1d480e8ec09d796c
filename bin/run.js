#!/usr/bin/env node
/**
 * Starts svc where Node is new enough. In a clone, where it is not, the launcher goes on with the Node that the project brings along;
 * an installed package has none, and says what it needs. Plain old JavaScript on purpose: an old Node must be able to read it.
 */
'use strict';

// Node opens its debugger at this signal, and a program that reaches 127.0.0.1 could read the key through it. First of all, so that it holds from here on.
process.on('SIGUSR1', function () {});
// One that came before is carried out in the first turn of the loop; on a busy machine in a later one.
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

/** A debugger that was asked for as the program was started stays. Node's module for it would take a millisecond; its method takes none. */
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

/** Calls what only a clone has; false in a package. */
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
