import { sendLog } from './channel.ts';

const mostSentAtOnce = 32;
const mostUnsent = 16_384;

/**
 * Copies what the val prints, so that vals can keep it. With pipes in place of the terminal, the val would not know that
 * it writes to a terminal, and would print without colours and prompts.
 */
export function copyOutput(): void {
  const send = createSender();
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8';
      send(typeof chunk === 'string' && !isUtf8(encoding) ? Buffer.from(chunk, encoding) : chunk);
      return write(chunk, ...rest);
    };
  }
}

const isUtf8 = (encoding: string): boolean => /^utf-?8$/i.test(encoding);

/**
 * Sends each text at once, so that nothing is lost when the val is ended. Of many texts within one turn of the event loop,
 * all but the first ones are sent together: 100,000 lines then take half the time.
 */
function createSender(): (chunk: string | Uint8Array) => void {
  let unsent = '';
  let sentAtOnce = 0;
  let isExiting = false;

  function flush(): void {
    if (unsent !== '') sendLog(Buffer.from(unsent));
    unsent = '';
  }
  process.once('exit', () => {
    isExiting = true;
    flush();
  });

  return (chunk) => {
    if (sentAtOnce === 0) {
      setImmediate(() => {
        sentAtOnce = 0;
        flush();
      }).unref();
    }
    sentAtOnce += 1;
    const isText = typeof chunk === 'string';
    if (isText) unsent += chunk;
    if (!isText || isExiting || sentAtOnce <= mostSentAtOnce || unsent.length > mostUnsent) flush();
    if (!isText) sendLog(chunk);
  };
}
