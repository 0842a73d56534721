/** The `type` of the problem that the service reports if a proxy, or the caller, calls it by another name than its own. */
export const wrongHost = 'urn:vals:wrong-host';
