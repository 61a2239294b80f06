/** Settings of how long data is kept. */
export const RETENTION_SETTINGS = [
  {
    name: 'MILLRACE_KEEP_LOGS_DAYS',
    readers: ['coordinator'],
    description: 'How long the output of tasks is kept after their end, in days; 0 keeps it for ever.',
    defaultText: '90',
  },
  {
    name: 'MILLRACE_KEEP_HISTORY_DAYS',
    readers: ['coordinator'],
    description:
      'How long finished work that explains no file is kept, and load samples, in days; 0 keeps them for ever.',
    defaultText: '365',
  },
  {
    name: 'MILLRACE_KEEP_CHANGES_HOURS',
    readers: ['coordinator'],
    description: 'How long the stream of changes (`/v6/changes/`) is kept, in hours.',
    defaultText: '24',
  },
  {
    name: 'MILLRACE_KEEP_CHANGES_MIB',
    readers: ['coordinator'],
    description:
      'How much disk the stream of changes may take in the database, in MiB: more is removed sooner.',
    defaultText: '2048',
  },
] as const;
