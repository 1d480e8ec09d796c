/** Setup file of vitest: a process that a test starts does not outlive the process of the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

const GUARD = `trap '' INT TERM HUP
children=' '
while read -r what pid; do
  case $what in
  +) children="$children$pid " ;;
  -) children="\${children%% $pid *} \${children#* $pid }" ;;
  esac
done
end() { for child in $(pgrep -P "$1"); do end "$child"; done; kill -KILL "$1"; }
for pid in $children; do end "$pid"; kill -KILL "-$pid"; done 2> /dev/null`;

let guard: ChildProcess | null = null;
let isStarting = false;

function tell(line: string): void {
  if (guard === null) {
    isStarting = true;
    guard = spawn('sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    isStarting = false;
    guard.unref();
    (guard.stdin as unknown as { unref(): void }).unref();
    guard.stdin?.on('error', () => undefined);
  }
  guard.stdin?.write(`${line}\n`);
}

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  if (isStarting) return;
  child.once('spawn', () => {
    const { pid } = child;
    if (pid === undefined) return;
    tell(`+ ${String(pid)}`);
    child.once('exit', () => tell(`- ${String(pid)}`));
  });
});

// A worker of vitest stays behind when vitest itself is killed.
process.once('disconnect', () => process.exit(1));
