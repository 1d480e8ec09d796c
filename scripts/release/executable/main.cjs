/** Begins svc as one file. */
'use strict';

require('../../../bin/start.js').begin(require('./files.cjs'));
