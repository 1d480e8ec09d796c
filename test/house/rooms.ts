interface RoomRule {
  readonly mayImport: readonly string[];
  readonly doors: readonly string[] | 'open';
  readonly linesMax: number;
}

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

const room = (mayImport: string, doors: string, linesMax: number): RoomRule => ({
  mayImport: words(`contract runtime ${mayImport}`),
  doors: doors === 'open' ? 'open' : words(doors),
  linesMax,
});

/** To raise one number of lines, lower another in the same commit. */
export const ROOMS: Readonly<Record<string, RoomRule>> = {
  contract: room('', 'open', 3900),
  runtime: room('', 'open', 3250),
  client: room('', 'open', 1550),
  output: room('', 'open', 2100),
  sheet: room('', 'open', 2050),
  storage: room(
    '',
    `stores file-stores shared-stores batches/row batches/row-state batches/batch-store batches/tally batches/worker batches/row-blocks batches/seal batches/retention batches/records
    journal/journal journal/request journal/precedence mirror/mirror mirror/reading checkpoints/checkpoint
    postgres/place postgres/source postgres/checks postgres/connection postgres/sql postgres/failures
    postgres/key postgres/make-tables postgres/roles`,
    7900,
  ),
  session: room(
    'client output storage',
    `session target choices connection address catalog place-flags settings settings-file key-stores keys webhook-secrets state-place profile-view
    guard/guard guard/open-guard guard/policy guard/plain-policy guard/read-policy guard/lock guard/hours guard/decision`,
    2750,
  ),
  command: room(
    'session client output sheet storage',
    `command app call read pages refused-flag ending printer shape-names user-program
    line/flags line/terminal line/typed-words line/sheet-flags line/local-server
    line/vocabulary help/exit-codes`,
    3050,
  ),
  feed: room(
    'command session storage',
    'open-mirror contradictions sync walk follow event-source company commit-position progress-line',
    950,
  ),
  payments: room(
    'feed command session storage client output',
    `known/* decide refusals body-flags confirm live-question printed
    operations/known-operations operations/found-operation operations/short-id
    operations/record-end dialogue/form/*`,
    8400,
  ),
  batches: room(
    'payments feed command session storage client sheet output',
    'approval/signature approval/signer-list approval/people ending printed',
    8200,
  ),
  events: room(
    'payments feed command session storage client output',
    `webhooks/deliver webhooks/sample webhooks/open-receiver webhooks/secrets webhooks/reception
    webhooks/receiver-server webhooks/verification printed`,
    4400,
  ),
  reconcile: room('payments command session sheet output', 'finding printed', 4350),
  sandbox: room(
    'events command session client storage sheet output',
    'embedded sandbox server interposer message http/access control/call log/sides beside/* testing/start-sandbox printed',
    13450,
  ),
  certify: room('sandbox events command session output', 'report/report', 4100),
  setup: room(
    'client output sheet storage session command feed payments batches events reconcile sandbox certify',
    '',
    1800,
  ),
};

/** These files may import everything, and nothing imports them. */
export const ROOF = new Set(['main.ts', 'registry.ts', 'all.ts']);

export const MISSED_DOORS: Readonly<Record<string, string>> = {
  // Completion reads tables itself, because no store opens fast enough for a TAB.
  'src/command/completion/known.ts': 'storage/batches/schema storage/mirror/schema storage/journal/tables',
  'src/certify/run/address.ts': 'sandbox/control/state sandbox/wire/http sandbox/settings',
  'src/certify/run/interpose.ts': 'sandbox/control/control',
  'src/certify/run/recorder.ts': 'sandbox/http/endpoints',
  'src/certify/run/run-once.ts': 'sandbox/delivery/attempt sandbox/wire/browser',
  'src/setup/schema/print.ts': 'command/line/usage-errors',
};

/** Only these functions may be parameters of a door. Any other work comes back as a value. */
export const HANDED_OVER = words(
  `openEmbedded connect openStore readServiceMs loadEntry reception note work read readBlock question`,
);

/** What a `commands.ts` may load at once, beside rooms that are free for it and its room's flags: short tables, and ids that are completed. */
export const DECLARED_AT_ONCE = words(
  `src/storage/batches/row-state src/sandbox/store/faults src/sandbox/store/deliveries src/sandbox/settings src/session/settings
  src/payments/body-flags`,
);
