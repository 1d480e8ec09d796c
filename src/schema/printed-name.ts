/**
 * The form of a command's standard output and the name of its shape. Only types: `commands/schema/printed.ts` has the shapes, and only `svc schema
 * --commands` loads it.
 */
import type { ComponentName } from './components.js';

/** The shapes of svc's own output, beside the contract's components. */
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

export type ShapeName = PrintedName | ComponentName;

/** One JSON value; one JSON value on each line; text, described in words; or nothing. */
export type Printed =
  ShapeName | { readonly lines: readonly ShapeName[] } | { readonly text: string } | 'nothing';
