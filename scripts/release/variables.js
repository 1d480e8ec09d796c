/** `test/release/manual.test.ts` compares these names with the sources. */

/** @type {readonly (readonly [name: string, meaning: string])[]} */
export const VARIABLES = [
  ['SVC_PROFILE', 'The profile, unless --profile says another.'],
  ['SVC_BASE_URL', "The service's production address, unless --base-url says another."],
  ['SVC_ENV', 'live or sandbox, unless --live or --sandbox says it.'],
  [
    'SVC_INSECURE_LOOPBACK',
    'With 1, a live key may travel over http to this machine, as with --insecure-loopback.',
  ],
  ['SVC_API_KEY', 'The key. No flag takes one: an argument list can be read by everybody.'],
  ['SVC_API_KEY_FILE', 'A file that holds the key.'],
  [
    'SVC_LOCK',
    'sandbox or read-only: takes power away from a program that is started, as svc lock does, which holds better. With sandbox nothing goes out live, with read-only reads alone; ' +
      'any other value counts as sandbox, and no flag lifts it.',
  ],
  ['SVC_LOCK_HOLDER', 'Set by svc lock for the command that it starts: the process that holds the lock.'],
  ['SVC_SANDBOX_URL', 'Set by svc sandbox exec for the command that it runs: what /v2 is appended to.'],
  ['SVC_CONTROL_URL', 'Set by svc sandbox exec for the command that it runs: what controls its sandbox.'],
  [
    'SVC_HOME',
    'A folder that is there, for all that svc keeps, in place of the folders below. Set by svc sandbox exec for the command that it runs.',
  ],
  [
    'SVC_CERTIFY',
    'Set by svc certify for the command that it examines: the address of the exam, which opens the sandboxes of svc sandbox exec and of the kit.',
  ],
  [
    'SVC_OPERATION_ID',
    'Set by svc certify receiver for the commands of --effect and --given: the operation of the delivery.',
  ],
  ['SVC_REFERENCE', 'Set beside it: the reference of that operation.'],
  ['SVC_AMOUNT', 'Set beside it: the amount, as the delivery has it.'],
  ['SVC_CURRENCY', 'Set beside it: the currency.'],
  ['SVC_EVENT_ID', 'Set beside it: the id of the event, which each attempt repeats.'],
  ['SVC_TYPE', 'Set beside it: the type of the event.'],
  ['SVC_OUTPUT', 'How to print where no flag says it: table, json, ndjson or csv.'],
  ['SVC_WEBHOOK_SECRET', 'The secret with which webhooks are signed and verified.'],
  ['SVC_WEBHOOK_SIGNATURE', 'The signature of a delivery, unless --signature says it.'],
  ['SVC_WEBHOOK_TIMESTAMP', 'The timestamp of a delivery, unless --timestamp says it.'],
  [
    'SVC_STATE',
    'The PostgreSQL database in which machines share their state, unless --state-url says another: postgres://USER@HOST/DATABASE; local for ' +
      'files.',
  ],
  ['SVC_STATE_FILE', 'A file that holds that address, read at every connection.'],
  ['SVC_STATE_PASSWORD', 'The password of its user.'],
  ['SVC_STATE_PASSWORD_FILE', 'A file that holds that password, read at every connection.'],
  ['SVC_STATE_KEY_FILE', 'A file with the key that seals that state: 32 bytes in base64.'],
  ['SVC_STATE_PATIENCE', 'How long that database is waited for while it is away: 60s unless given.'],
  ['SVC_WORKER_NAME', 'How this machine is called beside others at a batch; its host name unless given.'],
  ['SVC_INTO_PASSWORD', 'The password of the user whom svc events tail --into names.'],
  ['SVC_INTO_PASSWORD_FILE', 'A file that holds that password, read at every connection.'],
  [
    'TRACEPARENT',
    'The place of the caller in a trace (W3C), passed on to the service; where it is none, that is said.',
  ],
  ['NOTIFY_SOCKET', 'Set by systemd: events forward and tail say there how they are, by systemd-notify.'],
  ['WATCHDOG_USEC', 'Set by systemd: for how long they may make no progress.'],
  ['WATCHDOG_PID', 'Set by systemd: whom that is meant for.'],
  ['HTTPS_PROXY', 'The proxy, as http://HOST:PORT; https_proxy comes before it.'],
  ['NO_PROXY', 'Hosts that are reached without it; no_proxy comes before it.'],
  ['NODE_EXTRA_CA_CERTS', 'A file of certificates (PEM) that are trusted too.'],
  ['ACCESSIBLE', 'With 1, a dialogue is plain lines that stay, as a screen reader reads them.'],
  ['CI', 'Where it is set nobody is asked anything.'],
  ['NO_COLOR', 'Where it is set there are no colours.'],
  ['FORCE_COLOR', 'Colours where no terminal is seen.'],
  ['TERM', 'With dumb, nothing is repainted and there are no colours.'],
  ['HOME', 'Where the folders below are.'],
];

/** @type {readonly (readonly [name: string, meaning: string])[]} */
export const FOLDERS = [
  ['~/.config/svc', 'Profiles, and keys where there is no key store. XDG_CONFIG_HOME moves it.'],
  ['~/.local/share/svc', 'The embedded sandbox. XDG_DATA_HOME moves it.'],
  [
    '~/.local/state/svc',
    'Requests whose outcome is open, batches, places in the feed. XDG_STATE_HOME moves it.',
  ],
  ['~/.cache/svc', 'What may be deleted at any time. XDG_CACHE_HOME moves it.'],
];
