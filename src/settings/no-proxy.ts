// NO_PROXY: the hosts that are reached without a proxy.

/**
 * Names, separated by commas or spaces, each with a port or for all ports. A name stands for the host and for all
 * below it, with or without a dot or `*.` before it; `*` alone stands for every host.
 */
export function isWithoutProxy(noProxy: string, origin: string): boolean {
  if (noProxy.trim() === '*') return true;
  const { hostname, port, protocol } = new URL(origin);
  const usedPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name, onlyPort] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      if (name === undefined || (onlyPort !== undefined && onlyPort !== usedPort)) return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
}
