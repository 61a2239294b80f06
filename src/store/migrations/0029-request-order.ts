// Requests for many jobs take effect in the order in which they were answered: the database gives each its position when
// it is inserted, so that no clock of a coordinator has a say. Jobs that a request has come past without an answer of
// their owner are kept until they are settled. A job says which request changed it last: earlier ones leave it alone.

export const name = '0029-request-order';

// A coordinator of the version before inserts requests that get their position here, and writes no backlog.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
create sequence job_request_position_seq;
alter table job_request add column position bigint;
update job_request r set position = o.position
from (select id, row_number() over (order by created, id) as position from job_request) o
where o.id = r.id;
select setval('job_request_position_seq', coalesce((select max(position) from job_request), 0) + 1, false);
alter table job_request alter column position set default nextval('job_request_position_seq');
alter table job_request alter column position set not null;
alter sequence job_request_position_seq owned by job_request.position;
create unique index job_request_order_idx on job_request (position) where not is_done;

-- Jobs that a request has come past and that it is not done with.
create table job_request_backlog (
  request_id bigint not null references job_request on delete cascade,
  job_id bigint not null,
  -- its filters chose the job; false: an earlier request comes first, and decides what they say
  is_chosen boolean not null,
  primary key (request_id, job_id)
);
create index job_request_backlog_job_idx on job_request_backlog (job_id);

alter table job add column request_position bigint;
`,
];
