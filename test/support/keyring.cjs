/** Stands in for the library of the key store, with `--require`: a folder holds what is kept. Where a pipe is in it, calls wait for ever on a thread, and so does each look-up of a name. */
'use strict';

const dns = require('node:dns');
const { existsSync, open, readFileSync, rmSync, writeFileSync, writeSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const folder = process.env.KEYRING_FOLDER;
const pipe = join(folder, 'pipe');
/** What Node has for files, names and libraries. */
const THREADS = 4;

class AsyncEntry {
  constructor(_service, account) {
    this.file = join(folder, Buffer.from(account).toString('hex'));
  }

  getPassword() {
    return answer(() => (existsSync(this.file) ? readFileSync(this.file, 'utf8') : null));
  }

  setPassword(secret) {
    return answer(() => writeFileSync(this.file, secret));
  }

  deleteCredential() {
    return answer(() => {
      const isThere = existsSync(this.file);
      rmSync(this.file, { force: true });
      return isThere;
    });
  }
}

async function answer(work) {
  if (!existsSync(pipe)) return work();
  writeSync(2, 'asked\n');
  // Nobody writes into the pipe: the thread that opens it is lost.
  return new Promise((resolve) => open(pipe, 'r', resolve));
}

const { lookup } = dns;
dns.lookup = (...args) => {
  if (existsSync(pipe)) for (let taken = 0; taken < THREADS; taken += 1) open(pipe, 'r', () => undefined);
  writeSync(2, 'asked\n');
  return lookup(...args);
};

const load = Module._load;
Module._load = function (id, ...rest) {
  return id === '@napi-rs/keyring' ? { AsyncEntry } : load.call(this, id, ...rest);
};
