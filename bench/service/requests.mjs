// Requests out of a connection's bytes: the little of HTTP that the measured clients speak, and at little cost.

/** @typedef {{ method: string, target: string, body: string }} Request */

/**
 * @param {(request: Request) => void} onRequest
 * @returns {(bytes: Buffer) => void} takes what the connection brings
 */
export function requestReader(onRequest) {
  /** @type {Buffer} */
  let pending = Buffer.alloc(0);
  return (bytes) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = pending.toString('latin1', 0, headEnd);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (pending.length < end) return;
      const [method = '', target = ''] = head.split(' ', 2);
      const body = pending.toString('utf8', headEnd + 4, end);
      pending = pending.subarray(end);
      onRequest({ method, target, body });
    }
  };
}
