import { noteFailure, noteReply } from '../find-val/note-replies.ts';
import type { SeenVals } from '../find-val/seen-vals.ts';
import type { Call, Request } from '../http/call.ts';
import { CallFailed } from '../http/request/faults.ts';
import { createRequest, type RequestOptions } from '../http/request/request.ts';
import { secretIn } from '../http/request/secrets.ts';
import { explain } from './explain/explain.ts';
import type { Service } from './explain/service.ts';

export interface RequestTo {
  request: Request;
  /** Throws the error that sending the call would bring, if the call contains the token. */
  refuseToken(call: Call): void;
}

/** The way of a call from a command to the service and back: what was seen is noted, and failures are explained. */
export function requestTo(options: RequestOptions, service: Service, seen: SeenVals): RequestTo {
  const send = createRequest(options);
  return {
    async request(call) {
      try {
        const reply = await send(call);
        noteReply(call, reply, seen);
        return reply;
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        noteFailure(error, seen);
        throw explain(error, service);
      }
    },
    refuseToken(call) {
      const fault = options.token === undefined ? undefined : secretIn(call, options.token);
      if (fault !== undefined) throw explain(new CallFailed(call, fault), service);
    },
  };
}
