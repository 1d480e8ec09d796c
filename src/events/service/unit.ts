/** A unit of systemd that runs `events forward` or `events tail` as a service: hardened, watched, its key a credential. Pure. */
import { showUnseen } from '../../contract/on-screen.js';

export interface UnitOrder {
  readonly what: 'forward' | 'tail';
  /** Of the unit and the checkpoint: letters, digits, dots, dashes and underscores. */
  readonly name: string;
  /** Where svc is: an absolute path that needs no quotes. */
  readonly program: string;
  /** Behind `svc events forward` or `tail`. */
  readonly words: readonly string[];
  readonly watchdogSeconds: number;
  /** Secrets beside the key: the credential, and the variable that names its file. */
  readonly secrets: readonly UnitSecret[];
}

export interface UnitSecret {
  readonly credential: string;
  readonly variable: string;
  /** What it is, for a person. */
  readonly about: string;
}

const KEY: UnitSecret = { credential: 'key', variable: 'SVC_API_KEY_FILE', about: 'the API key' };

/** Starting again helps none of these: usage, no access, rejected, refused for safety, local state. */
const NO_RESTART = [2, 4, 6, 13, 16];

export function unitText(order: UnitOrder): string {
  const { what, name, program, words, watchdogSeconds } = order;
  const secrets = [KEY, ...order.secrets];
  const unit = unitName(name);
  return [
    ...headOf(order, secrets),
    '[Unit]',
    `Description=svc events ${what}: ${name}`,
    'Wants=network-online.target',
    'After=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=notify',
    'NotifyAccess=all',
    `ExecStart=${execLine(program, ['events', what, ...words])}`,
    ...secrets.map(({ credential }) => `LoadCredential=${credential}:${fileOf(name, credential)}`),
    ...secrets.map(({ credential, variable }) => `Environment=${variable}=%d/${credential}`),
    ...['config', 'data', 'state'].map(
      (kind) => `Environment=XDG_${kind.toUpperCase()}_HOME=%S/${unit}/${kind}`,
    ),
    `Environment=XDG_CACHE_HOME=%C/${unit}`,
    `Environment=HOME=%S/${unit}`,
    `StateDirectory=${unit}`,
    'StateDirectoryMode=0700',
    `CacheDirectory=${unit}`,
    'CacheDirectoryMode=0700',
    `WorkingDirectory=%S/${unit}`,
    '# systemd restarts it after this long without progress. The signal lets it save its checkpoint.',
    `WatchdogSec=${String(watchdogSeconds)}`,
    'WatchdogSignal=SIGTERM',
    'Restart=on-failure',
    'RestartSec=5',
    `RestartPreventExitStatus=${NO_RESTART.join(' ')}`,
    'SuccessExitStatus=143',
    ...HARDENED,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

/** The unit without `.service`, and its folders. */
export function unitName(name: string): string {
  return `svc-${name}`;
}

/** Where root keeps a secret of the service. */
function fileOf(name: string, credential: string): string {
  return `/etc/svc/${name}.${credential}`;
}

/** What to type, as comments. */
function headOf({ what, name }: UnitOrder, secrets: readonly UnitSecret[]): string[] {
  const unit = unitName(name);
  return [
    `Save this as /etc/systemd/system/${unit}.service (systemd 251 or newer), and type:`,
    '',
    '  sudo install -d -m 700 /etc/svc',
    ...secrets.map(
      ({ credential, about }) =>
        `  sudo sh -c 'umask 077; cat > ${fileOf(name, credential)}'   # ${about}, Enter, Ctrl-D`,
    ),
    '  sudo systemctl daemon-reload',
    `  sudo systemctl enable --now ${unit}`,
    `  systemctl status ${unit}`,
    ...(what === 'forward'
      ? [
          '',
          'Its deliveries are signed with the secret in:',
          `  /var/lib/${unit}/config/svc/forwarding-secret`,
        ]
      : []),
    '',
  ].map((line) => `# ${line}`.trimEnd());
}

/** Node compiles while it runs: MemoryDenyWriteExecute would end it. */
const HARDENED = [
  'DynamicUser=yes',
  'UMask=0077',
  'LimitCORE=0',
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
];

/** Read as it stands, wherever it stands in a command line. */
const PLAIN = /^[A-Za-z0-9_@+=:,./-]+$/;

/** One word of a command line, by the rules of systemd.syntax: quoted unless it is plain; specifiers, variables, quotes and backslashes are none. */
export function unitWord(word: string): string {
  if (PLAIN.test(word)) return word;
  const text = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return `"${showUnseen(text, escaped)}"`;
}

/** The value of `ExecStart`. @param program a path that needs no quotes */
export function execLine(program: string, words: readonly string[]): string {
  return [program, ...words.map(unitWord)].join(' ');
}

/** A byte below 0x80, or a character of Unicode, as systemd reads it. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
