// Starts the measured service in a process of its own, and asks it what it saw.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} ServiceOptions
 * @property {number} [delayMs] how long each answer is held back
 * @property {number} [runs] the length of the list of runs
 * @property {boolean} [makesPages] makes each page when it is asked for, as services do, instead of beforehand
 */

/**
 * @typedef {object} Counts What the service saw since it was asked last.
 * @property {number} connections
 * @property {number} requests
 * @property {number} vals different names that were pushed
 * @property {number} heldMs for how long answers were held back, in all
 */

/**
 * @typedef {object} Service
 * @property {string} baseUrl
 * @property {() => Promise<Counts>} counts
 * @property {() => Promise<void>} stop
 */

/**
 * @param {ServiceOptions} [options]
 * @returns {Promise<Service>}
 */
async function startService({ delayMs = 0, runs = 0, makesPages = false } = {}) {
  const settings = JSON.stringify({ delayMs, runs, makesPages });
  const server = fork(fileURLToPath(new URL('server.mjs', import.meta.url)), [settings], { execArgv: [] });
  const ended = once(server, 'exit');
  const endedEarly = ended.then(() => Promise.reject(new Error('the measured service ended early')));
  endedEarly.catch(() => {});

  const message = async () => (await Promise.race([once(server, 'message'), endedEarly]))[0];
  const { baseUrl } = await message();
  return {
    baseUrl,
    counts() {
      server.send('counts');
      return message();
    },
    async stop() {
      if (server.connected) server.disconnect();
      await ended;
    },
  };
}

/**
 * @template Result
 * @param {ServiceOptions} options
 * @param {(service: Service) => Promise<Result>} use
 */
export async function withService(options, use) {
  const service = await startService(options);
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}
