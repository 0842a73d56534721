// Host names in URLs: those of this machine, those that are reached without a proxy, and those that a service refuses.

/** Whether a URL leads to this machine. The host name is not looked up. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);

/**
 * Whether requests to the origin go without a proxy. NO_PROXY has host names between commas or spaces, each with or without a port. A name means the host and its subdomains,
 * with or without `.` or `*.` before it; `*` alone means every host.
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

/** The `type` of the service's error for a request with a host name that is not the service's own. */
export const wrongHost = 'urn:vals:wrong-host';
