/** `--log json`: whatever a run says on standard error is one object a line, with every secret hidden. */
import { logLine } from '../../output/error.js';
import type { LogFacts, Ports } from '../../runtime/ports.js';
import type { Output } from '../../runtime/streams.js';
import type { Run } from '../command.js';

/** The same run, whose notes are lines of a log where that was asked for. */
export function withLog<R extends Run<Run['flags'] & { readonly log?: string | undefined }>>(run: R): R {
  return run.flags.log === 'json' ? { ...run, ports: loggingPorts(run.ports) } : run;
}

function loggingPorts(ports: Ports): Ports {
  const { errors, clock, redact } = ports;
  const log = (text: string, facts: LogFacts = {}): Promise<void> =>
    errors.write(logLine(clock.now(), redact(text), facts));
  return { ...ports, errors: linesTo((text) => log(text)), log };
}

/** What is written as text, each line of it an entry. */
function linesTo(log: (text: string) => Promise<void>): Output {
  return {
    isTTY: false,
    columns: 80,
    write: async (chunk) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      for (const line of text.split('\n')) if (line.trim() !== '') await log(line.trim());
    },
  };
}
