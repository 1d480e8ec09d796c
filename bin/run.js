#!/usr/bin/env node
/**
 * Starts svc on a Node that is new enough: this one, or the one that the project brings along.
 * Plain old JavaScript on purpose: an old Node must be able to read this file to say that it is old.
 */
'use strict';

var fs = require('fs');
var os = require('os');
var path = require('path');

var MAJOR = 22;
var MINOR = 20;
/** Signals that a terminal sends to the whole group: the child may have them already, so it decides. */
var FROM_TERMINAL = ['SIGINT', 'SIGQUIT', 'SIGHUP'];
/** Signals that somebody sent to this process alone. */
var FROM_PROCESS = ['SIGTERM', 'SIGUSR2'];

function isNewEnough(version) {
  var parts = version.split('.');
  return Number(parts[0]) > MAJOR || (Number(parts[0]) === MAJOR && Number(parts[1]) >= MINOR);
}

function refuse(reason) {
  process.stderr.write('svc needs Node ' + MAJOR + '.' + MINOR + ' or newer: ' + reason + '\n');
  process.exit(1);
}

/** Ends the way the child ended: with its exit code, or by its signal. */
function endAs(code, signal) {
  if (signal === null) {
    process.exit(code);
  }
  FROM_TERMINAL.concat(FROM_PROCESS).forEach(function (name) {
    process.removeAllListeners(name);
  });
  process.kill(process.pid, signal);
  // Where the signal does not end this process, the code that a shell would show does.
  setTimeout(function () {
    process.exit(128 + (os.constants.signals[signal] || 0));
  }, 200);
}

/** Under NODE_DEBUG, Node prints what it starts with the whole environment, and with that the key. */
function silently(start) {
  if (!process.env.NODE_DEBUG) {
    return start();
  }
  process.stderr.write = function () {
    return true;
  };
  try {
    return start();
  } finally {
    delete process.stderr.write;
  }
}

/**
 * Runs this file again on another Node. The channel between the two is a lifeline (lifeline.js): when this process is
 * gone, even by SIGKILL, the child notices and ends at once instead of paying on with nobody watching.
 */
function handOver(runtime) {
  var env = Object.assign({}, process.env, { SVC_LAUNCHER: String(process.pid) });
  var child = silently(function () {
    return require('child_process').spawn(runtime, [__filename].concat(process.argv.slice(2)), {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: env,
    });
  });
  var forwarded = {};
  FROM_TERMINAL.forEach(function (name) {
    forwarded[name] = 0;
    process.on(name, function () {
      forwarded[name] += 1;
      if (child.connected) {
        child.send({ signal: name, count: forwarded[name] }, function () {});
      } else {
        child.kill(name);
      }
    });
  });
  FROM_PROCESS.forEach(function (name) {
    process.on(name, function () {
      child.kill(name);
    });
  });
  child.on('error', function (error) {
    refuse('this is ' + process.versions.node + ', and ' + runtime + ' does not start (' + error.code + ')');
  });
  child.on('exit', endAs);
}

var runtime = path.join(__dirname, '..', 'node_modules', 'node', 'bin', 'node');

if (isNewEnough(process.versions.node)) {
  require('./start.js');
} else if (!fs.existsSync(runtime) || fs.realpathSync(runtime) === fs.realpathSync(process.execPath)) {
  refuse('this is ' + process.versions.node + ' (' + process.execPath + ')');
} else {
  handOver(runtime);
}
