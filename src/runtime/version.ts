/** A test keeps this version equal to package.json. */
export const VERSION = '0.1.0';

export const NODE_VERSION = process.versions.node;
