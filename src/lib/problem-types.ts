export const wrongHost = 'urn:vals:wrong-host';

export const readOnlyMember = 'urn:vals:read-only-member';
