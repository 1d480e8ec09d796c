/**
 * In a clone: starts svc on the Node that the project brings along. Not in the package: nothing is brought along there.
 * Plain old JavaScript on purpose: it runs where Node is too old.
 */
'use strict';

var fs = require('fs');
var os = require('os');
var path = require('path');

/** Signals that a terminal sends to the whole group: the child may have them already, so it decides. */
var FROM_TERMINAL = ['SIGINT', 'SIGQUIT', 'SIGHUP'];
/** Signals that somebody sent to this process alone. */
var FROM_PROCESS = ['SIGTERM', 'SIGUSR2'];

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
 * Runs run.js again on another Node. The channel between the two is a lifeline (lifeline.js): when this process is
 * gone, even by SIGKILL, the child notices and ends at once instead of paying on with nobody watching.
 */
function handOver(runtime, refuse) {
  var env = Object.assign({}, process.env, { SVC_LAUNCHER: String(process.pid) });
  var child = silently(function () {
    return require('child_process').spawn(
      runtime,
      // Until run.js listens to the signal by itself.
      ['--disable-sigusr1', path.join(__dirname, 'run.js')].concat(process.argv.slice(2)),
      {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
        env: env,
      },
    );
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
    refuse('and ' + runtime + ' does not start: ' + error.code);
  });
  child.on('exit', endAs);
}

/** @param refuse ends the process where there is no such Node, with the reason where there is more to say */
exports.launch = function launch(refuse) {
  // Of the packages in scripts/runtime npm installs and links the one for this platform.
  var runtime = path.join(__dirname, '..', 'node_modules', '.bin', 'node');
  if (!fs.existsSync(runtime) || fs.realpathSync(runtime) === fs.realpathSync(process.execPath)) {
    refuse('');
  } else {
    handOver(runtime, refuse);
  }
};
