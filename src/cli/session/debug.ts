/** `--debug`: what happens on the wire, on standard error, as it happens. */
import type { Observation } from '../../client/client.js';
import { debugAnswer, debugRequest } from '../../output/debug.js';
import { escapeText } from '../../output/escape.js';
import type { Redactor } from '../../runtime/ports.js';
import type { Output } from '../../runtime/streams.js';

/** Writes each observation through the redactor; a reader of standard error that went away changes nothing. */
export function debugObserver(errors: Output, redact: Redactor): (observation: Observation) => void {
  return (observation) => {
    errors.write(lines(observation, redact)).catch(() => undefined);
  };
}

function lines(observation: Observation, redact: Redactor): string {
  switch (observation.kind) {
    case 'request':
      return debugRequest(observation.request, redact);
    case 'answer':
      return debugAnswer(observation.answer, observation.tookMs, redact);
    case 'no_answer':
      return `${escapeText(redact(`< no answer in ${observation.tookMs.toFixed(0)} ms: ${observation.error.message}`))}\n`;
    case 'wait':
      return `  again in ${observation.waitMs} ms\n`;
  }
}
