'use strict';

// SIGUSR1 must not end the process. In the executable, Node itself opens no debugger.
process.on('SIGUSR1', () => undefined);

require('../start.js').begin(require('./files.js'));
