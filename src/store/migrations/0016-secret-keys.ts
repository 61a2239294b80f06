// Which key seals secrets, and which coordinator has which keys. The keys themselves are in files, never in here.

export const name = '0016-secret-keys';

/** A coordinator of the previous schema cannot read what is sealed with the id of its key. */
export const isBreaking = true;

const KEYS = /* sql */ `
create table secret_key (
  id varchar(10) primary key,
  is_current boolean not null,
  created timestamptz not null,
  -- when it began to encryption
  began timestamptz not null,
  -- nothing was sealed under any other key any more
  completed timestamptz
);
create unique index secret_key_current_key on secret_key (is_current) where is_current;
create table secret_key_holder (
  coordinator_id text primary key,
  -- keys that it has, the newest of its file last
  key_ids text[] not null,
  -- what it seals with
  current_id varchar(10) not null,
  reported timestamptz not null
);
`;

/** Statements of this migration, in order. */
export const up: readonly string[] = [KEYS];
