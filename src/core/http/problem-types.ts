/** By these types (RFC 9457), the embedded service tells apart problems that have the same status. */
export const wrongHost = 'urn:vals:wrong-host';
export const readOnlyMember = 'urn:vals:read-only-member';
export const outsideOfSpace = 'urn:vals:outside-of-space';
export const limitedToken = 'urn:vals:limited-token';
/** Nothing was stored, and nothing deleted. */
export const diskFull = 'urn:vals:disk-full';
export const unknownToken = 'urn:vals:unknown-token';
