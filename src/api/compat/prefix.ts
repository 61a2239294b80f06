/** Where clients of the public system are served. */
export const PREFIX = '/api';
