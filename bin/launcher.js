/** Old JavaScript, because a Node that is too old runs this file. */
'use strict';

var fs = require('fs');
var os = require('os');
var path = require('path');

/** A terminal sends these signals to the whole group, so the child may have them already. */
var FROM_TERMINAL = ['SIGINT', 'SIGQUIT', 'SIGHUP'];
var FROM_PROCESS = ['SIGTERM', 'SIGUSR2'];

function endAs(code, signal) {
  if (signal === null) {
    process.exit(code);
  }
  FROM_TERMINAL.concat(FROM_PROCESS).forEach(function (name) {
    process.removeAllListeners(name);
  });
  process.kill(process.pid, signal);
  // If the signal does not end this process, the process exits with the code that a shell would show.
  setTimeout(function () {
    process.exit(128 + (os.constants.signals[signal] || 0));
  }, 200);
}

/** Under NODE_DEBUG, Node prints the environment of a child, which contains the key. */
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
 * If this process is gone, even by SIGKILL, the channel closes and the child ends, instead of paying while nobody
 * watches.
 */
function handOver(runtime, refuse) {
  var env = Object.assign({}, process.env, { SVC_LAUNCHER: String(process.pid) });
  var child = silently(function () {
    return require('child_process').spawn(
      runtime,
      // Needed until run.js itself listens to SIGUSR1.
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
  var runtime = path.join(__dirname, '..', 'node_modules', '.bin', 'node');
  if (!fs.existsSync(runtime) || fs.realpathSync(runtime) === fs.realpathSync(process.execPath)) {
    refuse('');
  } else {
    handOver(runtime, refuse);
  }
};
