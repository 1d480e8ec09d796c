/** Begins svc as one file. */
'use strict';

// As in bin/run.js. Node itself opens no debugger in the executable; here the signal ends nothing either.
process.on('SIGUSR1', () => undefined);

require('../start.js').begin(require('./files.js'));
