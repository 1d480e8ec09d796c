/** Begins svc as one file. */
'use strict';

require('../start.js').begin(require('./files.js'));
