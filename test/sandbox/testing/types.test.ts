import { expect, expectTypeOf, it } from 'vitest';
import type * as access from '../../../src/contract/access.js';
import { ENDPOINT_IDS, type EndpointId } from '../../../src/contract/endpoints.js';
import * as events from '../../../src/contract/events.js';
import type * as failures from '../../../src/contract/failures.js';
import type * as operation from '../../../src/contract/operation.js';
import type { Operation } from '../../../src/contract/operation-members.js';
import { type DeliveryFault, ALIASES } from '../../../src/sandbox/store/faults.js';
import type * as kit from '../../../src/sandbox/testing/types.js';

it('has the closed sets of the contract', () => {
  expectTypeOf<kit.SandboxEndpoint>().toEqualTypeOf<EndpointId>();
  expectTypeOf<kit.SandboxEventType>().toEqualTypeOf<events.EventType>();
  expectTypeOf<kit.SandboxFailureCode>().toEqualTypeOf<failures.FailureCode>();
  expectTypeOf<kit.SandboxFailure['reason']>().toEqualTypeOf<failures.FailureReason>();
  expectTypeOf<kit.SandboxMethod>().toEqualTypeOf<operation.Method>();
  expectTypeOf<kit.SandboxEnvironment>().toEqualTypeOf<access.Environment>();
  expectTypeOf<kit.DeliveryFaultKind>().toEqualTypeOf<DeliveryFault>();
  expectTypeOf<kit.SandboxScope>().toEqualTypeOf<access.Scope>();
  expectTypeOf<kit.OperationAnswer['status']>().toEqualTypeOf<Operation['status']>();
  expectTypeOf<kit.OperationAnswer['pending_reason']>().toEqualTypeOf<Operation['pending_reason']>();
});

it('has every reason of every code, and no other', () => {
  expectTypeOf<{
    [Code in kit.SandboxFailureCode]: Extract<kit.SandboxFailure, { code: Code }>['reason'];
  }>().toEqualTypeOf<{
    [Code in failures.FailureCode]: (typeof failures.FAILURES)[Code]['reasons'][number];
  }>();
});

it('has every route of a fault, and no other', () => {
  const endpoints = Object.fromEntries(ENDPOINT_IDS.map((id) => [id, true])) as Record<EndpointId, true>;
  const named: Record<Exclude<kit.FaultRoute, EndpointId | '*'>, true> = {
    ...{ 'capabilities.list': true, 'methods.list': true, 'banks.list': true, 'balances.list': true },
    ...{ 'payins.resendCode': true, 'webhookEndpoints.create': true },
  };
  const all: Record<Exclude<kit.FaultRoute, '*'>, true> = { ...endpoints, ...named };
  expect(Object.keys(all).sort()).toEqual([...ENDPOINT_IDS, ...ALIASES].sort());
});

it('an event tells by its type how its operation ended', () => {
  const said = (event: kit.ReceivedEvent): string => {
    if (event.type === 'payin.failed' || event.type === 'payout.failed') {
      const { failure } = event.data;
      return failure.code === 'limit_exceeded' ? failure.reason : failure.code;
    }
    if (event.type === 'test.ping') return event.type;
    expectTypeOf(event.data.failure).toEqualTypeOf<null>();
    return event.data.status;
  };
  type Failed = Extract<kit.ReceivedEvent, { type: 'payin.failed' }>;
  expectTypeOf<Failed['data']['type']>().toEqualTypeOf<'payin'>();
  const data = { status: 'x', failure: { code: 'y' } };
  const all = events.EVENT_TYPES.map((type) => said({ type, data } as never));
  expect(all).toEqual(['x', 'y', 'x', 'y', 'test.ping']);
});
