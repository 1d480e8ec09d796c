import type { EventType } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { renderNote } from '../../output/error-prose.js';
import { sampleEvent, type Override } from './sample.js';
import { isAccepted, post, type DeliveryAnswer } from './deliver.js';
import { signDelivery } from './signing.js';
import { answerText } from '../forward-sink.js';
import { openReceiver } from './open-receiver.js';
import { printerOfAnything } from '../../command/printer.js';
import { signingSecret, type SecretFlags } from './secrets.js';

type TriggerFlags = SecretFlags &
  Readonly<Record<'to' | 'times', string> & Record<'allow-remote', boolean>> &
  Partial<Readonly<Record<'bad-signature' | 'old' | 'duplicate', boolean>>> & {
    readonly set?: string[] | undefined;
  };

export async function trigger(ports: Ports, type: EventType, flags: TriggerFlags): Promise<void> {
  const overrides = (flags.set ?? []).map(readOverride);
  if (!/^[1-9][0-9]{0,4}$/.test(flags.times))
    throw usageFailure('--times must be a whole number from 1 to 99999.');
  const events = Array.from({ length: Number(flags.times) }, () => makeSample(ports, type, overrides));
  const printer = await printerOfAnything(ports, flags, 'deliveries');
  const secret = await signingSecret(ports, flags);
  const receiver = await openReceiver(ports, flags.to, flags['allow-remote']);
  const { clock, random } = ports;
  const ageSeconds = flags.old === true ? 2 * LIMITS.timestampToleranceSeconds : 0;
  try {
    const deliveries: (DeliveryAnswer & { readonly event_id: string })[] = [];
    for (const { eventId, body } of events) {
      for (let copy = 0; copy < (flags.duplicate === true ? 2 : 1); copy += 1) {
        const unixSeconds = Math.floor(clock.now() / 1000) - ageSeconds;
        const key = flags['bad-signature'] === true ? `not-${random.hex(16)}` : secret;
        const headers = signDelivery(body, { id: eventId, type }, [key], unixSeconds);
        const answer = await post(receiver, body, headers);
        deliveries.push({ event_id: eventId, ...answer });
      }
    }
    const printedDeliveries = deliveries.map(({ event_id, status, error, firstLine }) => ({
      ...{ event_id, type, status, error },
      ...(firstLine === undefined || firstLine === '' ? {} : { answer: firstLine }),
    }));
    await printer.answer(Buffer.from(JSON.stringify({ deliveries: printedDeliveries })));
    const isFaulty = flags['bad-signature'] === true || flags.old === true;
    judgeAnswers(deliveries, isFaulty);
    if (!isFaulty || flags.quiet) return;
    const { length } = deliveries;
    const deliveriesText = length === 1 ? 'the faulty delivery' : `all ${length} faulty deliveries`;
    await ports.errors.write(
      renderNote(`The receiver rejected ${deliveriesText}, as it must.`, ports.errors),
    );
  } finally {
    await receiver.close();
  }
}

function makeSample({ random, clock }: Ports, type: EventType, overrides: readonly Override[]) {
  const ids = { eventId: random.uuid(), operationId: random.uuid(), nowIso: isoSeconds(clock.now()) };
  try {
    return { eventId: ids.eventId, body: Buffer.from(sampleEvent(type, ids, overrides)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageFailure(`--set: ${error.message}.`, error);
  }
}

function judgeAnswers(deliveries: readonly DeliveryAnswer[], isFaulty: boolean): void {
  const wrongAnswer = deliveries.find(
    (delivery) => delivery.status === null || isAccepted(delivery) === isFaulty,
  );
  if (wrongAnswer === undefined) return;
  const { status } = wrongAnswer;
  if (status === null) {
    throw new Failure('network', `The receiver gave ${answerText(wrongAnswer)}.`, {
      outcome: deliveries.some(({ sent }) => sent) ? 'unknown' : 'not_sent',
      retryable: true,
    });
  }
  if (isFaulty) {
    const message = `The receiver accepted a delivery that it must reject (${status}). It does not verify signature and time.`;
    throw new Failure('defect', message, { code: 'forgery_accepted', status, outcome: 'sent' });
  }
  const kind = status >= 500 ? 'unavailable' : status >= 400 ? 'rejected' : 'defect';
  const message = `The receiver did not accept the delivery: ${answerText(wrongAnswer)}.`;
  const facts = { code: 'not_accepted', status, outcome: 'sent', retryable: status >= 500 } as const;
  throw new Failure(kind, message, facts);
}

function readOverride(text: string): Override {
  const at = text.indexOf('=');
  const path = at === -1 ? [] : text.slice(0, at).split('.');
  if (path.length > 0 && !path.includes('')) return { path, text: text.slice(at + 1) };
  throw usageFailure('--set must be PATH=VALUE, for example amount=10.00.');
}
