import type { Call } from '../call.ts';
import { type Fault, mayHaveBeenApplied } from './retry.ts';

/** Why a call failed, as data. cli/explain makes the error that the user reads. */
export class CallFailed extends Error {
  readonly call: Call;
  readonly fault: Fault;
  /** True if any attempt may have changed something. */
  readonly maybeApplied: boolean;

  constructor(call: Call, fault: Fault, maybeApplied = mayHaveBeenApplied(call.method, fault)) {
    super(fault.kind);
    this.call = call;
    this.fault = fault;
    this.maybeApplied = maybeApplied;
  }
}
