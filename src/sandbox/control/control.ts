/** The control of the sandbox, outside the contract: its clock, payments, keys, deliveries and faults, under `/_control/`. */
import { refusalAnswer } from '../http/answer.js';
import type { World } from '../engine/world.js';
import type { SandboxAnswer, SandboxRequest } from '../message.js';

export const CONTROL_PATH = '/_control';

/** Answers a request of the control api. */
export function answerControl(_world: World, _request: SandboxRequest, _path: string): SandboxAnswer {
  return refusalAnswer({ refusal: 'route_not_found' });
}
