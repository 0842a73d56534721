// The `type` of errors of the service for which the client has a hint of its own.

/** The request was sent to a wrong host name. */
export const wrongHost = 'urn:vals:wrong-host';

/** The caller may read the vals of the space, but not change them. */
export const readOnlyMember = 'urn:vals:read-only-member';
