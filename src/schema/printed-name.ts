/**
 * What a command says of its standard output: in which form it comes, and the name of its shape. Types only: the shapes stand in
 * `commands/schema/printed.ts`, which only `svc schema --commands` loads.
 */
import type { ComponentName } from './components.js';

/** What svc itself makes, beside the components of the contract. */
export type PrintedName =
  | 'AnyAnswer'
  | 'ApprovedPlan'
  | 'Batch'
  | 'BatchDropped'
  | 'BatchDryRun'
  | 'BatchForgotten'
  | 'BatchList'
  | 'BatchRow'
  | 'BatchRows'
  | 'BatchStatus'
  | 'BatchSummary'
  | 'CheckUp'
  | 'Commands'
  | 'DeliveryHeaders'
  | 'DryRun'
  | 'ExamCases'
  | 'ExamReport'
  | 'FeedPosition'
  | 'JsonSchema'
  | 'OpenApi'
  | 'OperationList'
  | 'OperationTrace'
  | 'Plan'
  | 'PlanReview'
  | 'Policy'
  | 'PolicyChecked'
  | 'PolicyInForce'
  | 'Profile'
  | 'ProfileList'
  | 'ReconciliationFinding'
  | 'ReconciliationSummary'
  | 'Request'
  | 'RequestList'
  | 'RequestResolved'
  | 'RequestWhole'
  | 'RequestsForgotten'
  | 'SandboxAttribution'
  | 'SandboxClock'
  | 'SandboxDeliveries'
  | 'SandboxDelivery'
  | 'SandboxFaultArmed'
  | 'SandboxFaults'
  | 'SandboxFaultsCleared'
  | 'SandboxImported'
  | 'SandboxKey'
  | 'SandboxOperation'
  | 'SandboxOperations'
  | 'SandboxOperationWhole'
  | 'SandboxPing'
  | 'SandboxReady'
  | 'SandboxRequest'
  | 'SandboxRequests'
  | 'SandboxRequestWhole'
  | 'SandboxReset'
  | 'SandboxState'
  | 'SandboxStatus'
  | 'SignedEvent'
  | 'StateMade'
  | 'StateStatus'
  | 'TriggeredDeliveries';

/** A shape by its name. */
export type ShapeName = PrintedName | ComponentName;

/** One value of JSON; values, a line each; what is no JSON, in words; or nothing. */
export type Printed =
  ShapeName | { readonly lines: readonly ShapeName[] } | { readonly text: string } | 'nothing';
