// Checks host names in URLs: whether a host is this machine, and whether requests to a host bypass the proxy.

/** Whether a URL leads to this machine. The host name is not looked up. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);

/**
 * Whether requests to the origin bypass the proxy. `noProxy` is the value of NO_PROXY: host names, separated by commas or
 * spaces, each with or without a port. A name matches the host and its subdomains. `.` or `*.` before a name changes nothing.
 * `*` alone matches every host.
 */
export function bypassesProxy(noProxy: string, origin: string): boolean {
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
