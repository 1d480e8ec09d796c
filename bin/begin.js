/** Begins svc where it is installed as a package or runs from a clone. The build makes one file of this and what it needs. */
'use strict';

require('./start.js').begin(require('./files.js'));
