// The client shows a hint for each of these error types.

export const wrongHost = 'urn:vals:wrong-host';

export const readOnlyMember = 'urn:vals:read-only-member';
