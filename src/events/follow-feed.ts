import { type Run, type GlobalFlags, type SessionRun, inSession } from '../command/command.js';
import { withoutSecrets } from '../command/user-program.js';
import { forwardSink, type OnAttempt } from './forward-sink.js';
import { printSink } from './print-sink.js';
import { forwardingSecret, openReceiver } from './webhooks/open-receiver.js';
import {
  type FeedFlags,
  type IntoFlags,
  readIntoFlags,
  type FeedOptions,
  programOf,
  readFeedFlags,
} from './follow-flags.js';
import type { FeedJob } from './fill-tables.js';
import { readTraceparent } from '../client/request.js';
import { bytesOf, findEnd, START, type Visit, walkFeed } from '../feed/walk.js';
import { type Sink, follow, selectionOf } from '../feed/follow.js';
import { runShell } from '../runtime/child.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import { type Ports, withEndText, type LogFacts } from '../runtime/ports.js';
import { EVENT_TYPES } from '../contract/events.js';
import { eventSource, type EventSource } from '../feed/event-source.js';
import { FROM_FLAG, throwWithFlags } from '../command/refused-flag.js';
import { mayRepaint } from '../command/line/terminal.js';
import { maskOfKey, serviceAddressOf } from '../session/address.js';
import type { Session } from '../session/session.js';
import { toDisposable } from '../runtime/disposal.js';
import type { OpenCheckpoint, Position } from '../storage/checkpoints/checkpoint.js';
import { Progress } from '../feed/commit-position.js';
import { streamInLittleMemory } from '../runtime/memory.js';
import { ReaderGone, type Output } from '../runtime/streams.js';
import type { WatchedService } from './service/run-service.js';
import { logLine } from '../output/error.js';
import { printerOfAnything } from '../command/printer.js';
import { openMirror } from '../feed/open-mirror.js';
import { reportReading } from '../feed/progress-line.js';
import type { Texts } from '../command/line/flags.js';

export async function tailEvents(typedRun: Run<IntoFlags & Texts<'exec'>>): Promise<void> {
  const run = withLog(typedRun);
  const { flags, ports } = run;
  const program = programOf(flags);
  const intoTarget = readIntoFlags(run);
  if (intoTarget !== null) {
    const { tableJob } = await import('./fill-tables.js');
    return followFeed(run, (session) => tableJob({ ...run, session }, intoTarget));
  }
  if (program === null) {
    const sink = await printSink(ports, flags);
    return followFeed(run, () => ({ sink }));
  }
  await followFeed(run, (_, onAttempt) => ({ sink: execSink(ports, program, onAttempt), eventsMax: 1 }));
}

type ForwardFlags = FeedFlags & Texts<'to'> & Readonly<Record<'allow-remote' | 'print-secret', boolean>>;

export async function forwardEvents(typedRun: Run<ForwardFlags>): Promise<void> {
  const run = withLog(typedRun);
  const { flags, ports } = run;
  const secret = await forwardingSecret(ports);
  if (flags['print-secret']) return ports.output.write(`${secret}\n`);
  if (flags.to === undefined) throw usageFailure('Add --to URL, the receiver.');
  const receiver = await openReceiver(ports, flags.to, flags['allow-remote']);
  try {
    await followFeed(run, (session, onAttempt) => {
      session.redactor.add([secret]);
      const tracedReceiver = { ...receiver, traceparent: readTraceparent(ports.env['TRACEPARENT']) };
      const note: Session['note'] = (text, facts) => session.note(text, facts);
      return { sink: forwardSink(ports, tracedReceiver, secret, note, onAttempt) };
    });
  } finally {
    await receiver.close();
  }
}

const RETRY_WAITS_MS = [250, 1000] as const;

function execSink(ports: Ports, commandLine: string, onAttempt: OnAttempt): Sink {
  const env = withoutSecrets(ports.env);
  const { clock, signal } = ports;
  return async (page, events, accept) => {
    for (const event of events) {
      const input = Buffer.concat([bytesOf(page, event), Buffer.from('\n')]);
      for (let attempt = 0; ; attempt += 1) {
        signal.throwIfAborted();
        const startedMs = clock.monotonic();
        const end = await runShell(commandLine, { env, input, signal });
        const isAccepted = end.exitCode === 0;
        const ms = clock.monotonic() - startedMs;
        onAttempt({ eventId: event.id, attempt: attempt + 1, ms, isAccepted });
        if (isAccepted) break;
        signal.throwIfAborted();
        const waitMs = RETRY_WAITS_MS[attempt];
        if (waitMs === undefined) {
          const { exitCode, signalName } = end;
          const endText =
            exitCode === null ? `ended by ${signalName ?? 'a signal'}` : `exit code ${exitCode}`;
          throw new Failure(
            'unavailable',
            `The --exec program failed three times (${endText}) for event ${event.id}. This event and later ones were not accepted. ` +
              'Repair the program, then run this again.',
            { code: 'exec_failed', outcome: 'sent', retryable: true },
          );
        }
        await clock.sleep(waitMs, signal);
      }
      await accept([event]);
    }
  };
}

const CHECKPOINT_SAVED = 'The checkpoint is saved: run this again to go on.';
const TABLES_SAVED = 'What the tables hold is whole, with their place in the feed: run this again to go on.';

async function followFeed(
  run: Run<FeedFlags>,
  jobOf: (session: Session, onAttempt: OnAttempt) => FeedJob | Promise<FeedJob>,
): Promise<void> {
  const { flags } = run;
  const options = readFeedFlags(flags);
  streamInLittleMemory();
  await using app = run.app;
  try {
    const sessionRun = await inSession({ ...run, app });
    const types: readonly string[] = EVENT_TYPES.filter((type) => type !== 'test.ping');
    for (const type of flags.type ?? [])
      if (!types.includes(type))
        await sessionRun.session.note(
          `svc knows no event type ${JSON.stringify(type)}, only ${types.join(', ')}.`,
        );
    const service = await openIfWatched(sessionRun, options);
    try {
      const job = await jobOf(sessionRun.session, attemptListener(sessionRun, service));
      const jobRun = { ...sessionRun, options, job, service };
      const name = options.checkpoint;
      const runFrom = (checkpoint: OpenCheckpoint | null): Promise<void> =>
        runJob({ ...jobRun, checkpoint }).catch((error: unknown) => {
          throw withEndText(error, name === null ? 'No checkpoint was kept.' : CHECKPOINT_SAVED);
        });
      if (job.keepRunning !== undefined) {
        const { ports } = sessionRun;
        const work = job.keepRunning(async (checkpoint, loss) => {
          const signal = AbortSignal.any([ports.signal, loss]);
          await runJob({ ...jobRun, ports: { ...ports, signal }, checkpoint });
        });
        await work.catch((error: unknown) => {
          throw withEndText(error, TABLES_SAVED);
        });
      } else if (name === null) await runFrom(null);
      else {
        const { session } = sessionRun;
        const namedCheckpoint = { name, ...serviceAddressOf(session), keyMask: maskOfKey(session.key) };
        await using checkpoint = await (await run.app.stores()).lockCheckpoint(namedCheckpoint);
        for (const note of checkpoint.notes) await session.note(note);
        await runFrom(checkpoint).catch((error: unknown) => {
          if (!(error instanceof ReaderGone)) throw error;
          const text = `The reader of standard output went away. Checkpoint ${name} is behind what it read. Run this again to continue.`;
          const facts = { code: 'reader_gone', outcome: 'sent', retryable: true } as const;
          throw new Failure('reader_gone', text, facts);
        });
      }
    } finally {
      await service?.close();
    }
  } catch (error) {
    throwWithFlags(flags.from === undefined ? {} : FROM_FLAG)(error);
  }
}

async function openIfWatched(
  run: SessionRun<FeedFlags>,
  options: FeedOptions,
): Promise<WatchedService | null> {
  if (options.health === null && (run.ports.env['NOTIFY_SOCKET'] ?? '') === '') return null;
  const { openService } = await import('./service/run-service.js');
  return openService(run, options);
}

function attemptListener({ ports, flags }: SessionRun<FeedFlags>, service: WatchedService | null): OnAttempt {
  return ({ eventId, attempt, ms, isAccepted }) => {
    service?.onAttempt(attempt, isAccepted);
    if (isAccepted && !flags.quiet) void ports.log?.('Accepted.', { eventId, attempt, ms });
  };
}

async function runJob(
  jobRun: SessionRun<FeedFlags> & {
    readonly options: FeedOptions;
    readonly job: FeedJob;
    readonly checkpoint: OpenCheckpoint | null;
    readonly service: WatchedService | null;
  },
): Promise<void> {
  const { ports, flags, options, job, checkpoint, service } = jobRun;
  const { clock, signal } = ports;
  const { follows, intervalMs } = options;
  service?.onBegin();
  const source = eventSource(jobRun, { isPatient: follows, onWait: service?.onWait });
  const fetch: EventSource = service?.source(source) ?? source;
  const walk = ({ cursor, last }: Position): AsyncGenerator<Visit, void, void> =>
    walkFeed({
      ...{ fetch, from: cursor, last, follows, intervalMs, clock, signal },
      onStuck: ({ head }) => jobRun.session.note(`${head} svc asks again.`, { level: 'warn' }),
    });
  const findStart = async (): Promise<Position> => {
    if (options.from === 'start') return START;
    return options.from === 'now' ? findEnd(walk(START)) : { cursor: options.from, ids: [] };
  };
  const from = checkpoint?.position ?? (await findStart());
  if (checkpoint?.position === null && options.from !== 'start') await checkpoint.save(from);
  const savePosition =
    checkpoint === null
      ? null
      : async (position: Position): Promise<void> => {
          await ports.output.durable();
          await checkpoint.save(position);
        };
  const progress = new Progress({
    from,
    commit: savePosition === null ? null : (service?.save(savePosition, job.durable) ?? savePosition),
    clock,
    ...(job.eventsMax === undefined ? {} : { eventsMax: job.eventsMax }),
    ...(job.isFull === undefined ? {} : { isFull: job.isFull }),
  });
  const visits = walk(from);
  await follow({
    visits: service?.visits(visits) ?? visits,
    progress,
    sink: service?.sink(job.sink) ?? job.sink,
    selects: selectionOf({ types: flags.type ?? [], reference: flags.reference, operationId: flags.id }),
    onPage: pageReporter(ports, flags, job.keepRunning === undefined && ports.output.isTTY),
  });
}

const TERMINAL_EVERY_MS = 250;
const LINE_EVERY_MS = 5000;

function pageReporter(
  ports: Ports,
  { quiet }: GlobalFlags,
  showsEvents: boolean,
): (count: number, isEnd: boolean) => Promise<void> {
  const { clock, errors } = ports;
  const repaints = mayRepaint(ports);
  const everyMs = repaints ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  let writtenAtMs = clock.monotonic();
  let hasWritten = false;
  let isSilent = quiet || showsEvents;
  return async (count, isEnd) => {
    if (isSilent) return;
    const nowMs = clock.monotonic();
    isSilent = isEnd;
    if (isEnd ? !hasWritten : nowMs - writtenAtMs < everyMs) return;
    writtenAtMs = nowMs;
    hasWritten = true;
    const text = `${isEnd ? 'Caught up' : 'Catching up'}: ${count.toLocaleString('en-US')} events`;
    await errors.write(repaints ? `\r${text}${isEnd ? '.\n' : ' '}` : `${text}.\n`);
  };
}

function withLog<R extends Run<Run['flags'] & { readonly log?: string | undefined }>>(run: R): R {
  if (run.flags.log !== 'json') return run;
  const { errors, clock, redact } = run.ports;
  const log = (text: string, facts: LogFacts = {}): Promise<void> =>
    errors.write(logLine(clock.now(), redact(text), facts));
  const logOutput: Output = {
    isTTY: false,
    columns: 80,
    write: async (chunk) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      for (const line of text.split('\n')) if (line.trim() !== '') await log(line.trim());
    },
  };
  const ports = { ...run.ports, errors: logOutput, log };
  return { ...run, ports, app: run.appOf(ports, run.flags) };
}

export async function syncEvents(run: Run): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  streamInLittleMemory();
  await using mirror = toDisposable(await openMirror(await inSession(run)));
  const progress = reportReading(ports, flags);
  const report = await mirror.sync(progress.onPage).finally(() => progress.end());
  await printer.answer(Buffer.from(JSON.stringify(report)));
}
