// Written by `npm run docs` from the routes of the service. Do not edit.

export interface paths {
  "/v6/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Where to go from here
    * @description Open to everybody.
    */
    get: operations["getStart"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/accounts/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List accounts
    * @description For staff; by a session or a token of scope `admin`.
    */
    get: operations["listAccounts"];
    put?: never;
    /**
    * Create an account
    * @description For staff; by a session or a token of scope `admin`.
    */
    post: operations["createAccount"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/accounts/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of an account
    * @description For staff; by a session or a token of scope `admin`.
    */
    get: operations["getAccount"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
    * Edit, activate or deactivate an account
    * @description Fields that are not given stay as they are. Accounts are never removed: a deactivated account and its tokens are refused. The last active staff account cannot be deactivated or lose its staff role (409). For staff; by a session or a token of scope `admin`.
    */
    patch: operations["editAccount"];
    trace?: never;
  };
  "/v6/accounts/{id}/password/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Change a password
    * @description Everybody may set their own password with the current one; staff may set that of any account. All sessions of the account end except the one that asks. Tokens stay valid: revoke those that others may know. For every account; by a session or a token of scope `admin`.
    */
    post: operations["createAccountPassword"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/accounts/profile/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * The account that asks
    * @description For every account.
    */
    get: operations["getAccountsProfile"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/activity/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What arrived, was completed and was made, by the minute
    * @description One item for each whole minute of the last day in which a coordinator ran, the oldest first. The lag
    *     of a product is the time from the first sight of the file that started its recipe; products of reprocessed recipes have
    *     none. At most 5000 products a minute are measured. For every account.
    */
    get: operations["listActivity"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/audit/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List what was changed, and by whom
    * @description One entry for each request other than a read, a validation or a dry run, including refused requests of known accounts, and one for each login to a known account. Without `started`, the list begins a week ago. For staff; by a session or a token of scope `admin`.
    */
    get: operations["listAudit"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/batches/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List batches
    * @description `started` and `ended` are compared with `last_modified`. For every account.
    */
    get: operations["listBatches"];
    put?: never;
    /**
    * Create a batch
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createBatch"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/batches/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a batch with the metrics of its jobs
    * @description For every account.
    */
    get: operations["getBatch"];
    put?: never;
    post?: never;
    /**
    * Delete a batch
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. It must have all its recipes, and these must have ended. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteBatch"];
    options?: never;
    head?: never;
    /**
    * Edit a batch
    * @description For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editBatch"];
    trace?: never;
  };
  "/v6/batches/{id}/failures/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Failed jobs of a batch by job type and error
    * @description Counts the jobs that belong to the batch now and are FAILED, 100000 at most. For every account.
    */
    get: operations["listBatchFailures"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/batches/comparison/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Compare the batches of a chain
    * @description For every account.
    */
    get: operations["getBatchesComparison"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/batches/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a batch
    * @description For every account.
    */
    post: operations["validateBatch"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/changes/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Changes of objects, as they happened
    * @description Every change of every object once; the changes of one object come in the order of their versions. A change must match every filter; it matches a filter with one of its values. With `Accept: text/event-stream` changes are sent as events, from the header `Last-Event-ID` or `after` on, without end. A WebSocket at this path serves several subscriptions. 410 `CHANGES_GONE`: changes after the cursor are no longer kept; read the lists again and continue from now. For every account.
    */
    get: operations["getChanges"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/datasets/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List datasets
    * @description `started` and `ended` are compared with `created`. For every account.
    */
    get: operations["listDatasets"];
    put?: never;
    /**
    * Create a dataset, with members if any are given
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createDataset"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/datasets/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a dataset with its members
    * @description For every account.
    */
    get: operations["getDataset"];
    put?: never;
    /**
    * Add members to a dataset
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["addToDataset"];
    /**
    * Delete a dataset
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. Live are batches of it that do not have all their recipes yet. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteDataset"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/datasets/{id}/comparison/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Compare a dataset with the one before it
    * @description The one before is the newest earlier dataset with the same parameters, among the 100 datasets before it, without those whose definition takes more than 4 KiB as it is stored. For every account.
    */
    get: operations["getDatasetComparison"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/datasets/{id}/members/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List the members of a dataset
    * @description For every account.
    */
    get: operations["listDatasetMembers"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/datasets/members/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a member of a dataset
    * @description For every account.
    */
    get: operations["getDatasetsMember"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/datasets/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a dataset
    * @description For every account.
    */
    post: operations["validateDataset"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/diagnostics/job/bake/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Queue jobs that wait 15 minutes
    * @description Answered at once; the recipes are created in the background, in chunks. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["startJobBake"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/diagnostics/job/count/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Queue jobs that print numbers on both streams
    * @description Answered at once; the recipes are created in the background, in chunks. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["startJobCount"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/diagnostics/job/hello/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Queue jobs that print a greeting
    * @description Answered at once; the recipes are created in the background, in chunks. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["startJobHello"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/diagnostics/job/roulette/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Queue jobs that fail at random
    * @description Answered at once; the recipes are created in the background, in chunks. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["startJobRoulette"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/diagnostics/recipe/casino/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Queue recipes of three jobs that fail at random
    * @description Answered at once; the recipes are created in the background, in chunks. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["startRecipeCasino"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/errors/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List registered errors
    * @description For every account.
    */
    get: operations["listErrors"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/errors/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * A registered error
    * @description For every account.
    */
    get: operations["getError"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/failures/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Failed jobs by job type and error
    * @description Counts the jobs that are FAILED now and failed within the range, by default the last day. The range
    *     begins with a whole slot of five minutes. Groups that are not marked as known come first, larger groups before smaller
    *     ones. For every account.
    */
    get: operations["listFailures"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/failures/{job_type_id}/{error_id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
    * Mark a group of failures as known, or note something about it
    * @description Everybody sees it. It also applies to later failures of the job type with this error. For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editFailure"];
    trace?: never;
  };
  "/v6/files/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List stored files
    * @description Source files and products, deleted and superseded ones too. For every account.
    */
    get: operations["listFiles"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/files/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of a stored file, with what it descends from
    * @description For every account.
    */
    get: operations["getFile"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/files/{id}/content/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Content of a stored file
    * @description Streams through an agent that reaches the workspace. If this coordinator has no such agent, 307 names one that has. For files of a bucket, 307 may name a temporary address at the object store. One `Range` of bytes is supported, also with `If-Range`. For every account.
    */
    get: operations["getFileContent"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/files/{id}/lineage/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What a file was made from, and what was made from it
    * @description A graph of files and jobs with their types, revisions, settings and images. Each direction has at most 500 files and 200 jobs; `rim` says where the graph continues. For every account.
    */
    get: operations["getFileLineage"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/files/purge-source/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Remove a source file with everything that descends from it
    * @description Removes the records, and the bytes of products. The bytes of the source stay unless `delete_source_bytes` is true. `Location` names the purge, which continues after the answer. A repeat during the purge gets the same answer. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["purgeSourceFiles"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/files/why/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Why a file of a workspace was not ingested, or what it started
    * @description Also for files that were never seen: which strikes and scans would find them, and what these would do with them. For every account.
    */
    get: operations["getFilesWhy"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/flow/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * The way of files from workspaces to products, with counts
    * @description A graph of workspaces, the strikes and scans that changed last (200 and 50), the recipe types that they start or that have live recipes (200), and the job types of these (500). Ended work is counted by whole hours. The range begins an hour ago when it is not given. For every account.
    */
    get: operations["getFlow"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/ingests/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List ingests
    * @description For every account.
    */
    get: operations["listIngests"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/ingests/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of an ingest
    * @description For every account.
    */
    get: operations["getIngest"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/ingests/{id}/jobs/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List the jobs of an ingest: its own, and those of the recipe that it started
    * @description For every account.
    */
    get: operations["listIngestJobs"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/ingests/status/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What strikes have ingested, by hour
    * @description Ingested files of each strike, from the hour of `started` to that of `ended`, both whole. The range begins a week ago, at midnight UTC, when it is not given. For every account.
    */
    get: operations["listIngestsStatus"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-executions/{id}/logs/{stream}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Read what an execution wrote
    * @description As JSON it is
    *     `{hits: {hits: [{_source: {message, "@timestamp", stream, scale_order_num, …}}]}}`, a hit a line, as a
    *     search engine would answer; as `txt` the bytes as they were written; as `html` a page, what was written to
    *     one stream in elements of the class `stdout` or `stderr`. 204 while there is nothing. With `follow` the
    *     bytes of a stream come as they are written, until the execution has ended. An answer that breaks off is resumed with
    *     `offset`. For every account.
    */
    get: operations["getJobExecutionLog"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-type-names/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List names of job types
    * @description A name is listed if one of its versions passes all filters; it is shown with the fields of its latest. For every account.
    */
    get: operations["listJobTypeNames"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List job types
    * @description For every account.
    */
    get: operations["listJobTypes"];
    put?: never;
    /**
    * Create a job type, or a revision of it
    * @description Name and version come from the manifest. If there is such a job type, the call edits it. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createJobType"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/{name}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List versions of a job type
    * @description Newest first. An unknown name gives an empty page. For every account.
    */
    get: operations["listJobTypeByName"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/{name}/{version}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a job type
    * @description For every account.
    */
    get: operations["getJobType"];
    put?: never;
    post?: never;
    /**
    * Delete a version of a job type
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. Live are its jobs that have not ended, and active recipe types that contain it. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteJobType"];
    options?: never;
    head?: never;
    /**
    * Edit a job type
    * @description A new manifest or image makes a revision. Null clears `max_scheduled` and `icon_code`. For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editJobType"];
    trace?: never;
  };
  "/v6/job-types/{name}/{version}/revisions/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List revisions of a job type
    * @description For every account.
    */
    get: operations["listJobTypeRevisions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/{name}/{version}/revisions/{revision_num}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a revision of a job type
    * @description For every account.
    */
    get: operations["getJobTypeRevision"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/{name}/{version}/used/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What recent executions of a job type used
    * @description For the newest 200 executions that were measured: the median, the 95th percentile and the
    *     maximum of each figure, and what they were given. `seconds` is the time of the main task, `cpus` its
    *     `processor_seconds` for each second. A figure that was not measured is null. For every account.
    */
    get: operations["getJobTypeUsed"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/pending/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Job types with jobs that wait for others
    * @description The type with the job that has waited longest comes first. For every account.
    */
    get: operations["listJobTypesPending"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/running/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Job types with jobs that run
    * @description The type with the job that has run longest comes first. For every account.
    */
    get: operations["listJobTypesRunning"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/status/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Job types with the numbers of their jobs by status
    * @description Lists every job type. Counts jobs that got their status within the range, by default the last three
    *     hours, and all running jobs. For jobs that are FAILED, COMPLETED or CANCELED the range is extended to whole slots of
    *     five minutes. For every account.
    */
    get: operations["listJobTypesStatus"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/system-failures/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Jobs that failed by errors of the system
    * @description Jobs that are FAILED now, by job type and error of category SYSTEM; the newest failure first. For every account.
    */
    get: operations["listJobTypesSystemFailures"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/try/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Try a job type with one input
    * @description Runs one job of the manifest, once, as a job type of it would. The answer is the job: its state, log
    *     and products are read as those of any job. Neither the type nor the job nor its products are listed or counted, and an
    *     hour later they are gone. An account may have 5 that have not ended, and 100 within the hour. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createJobTypesTry"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/job-types/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a job type
    * @description For every account.
    */
    post: operations["validateJobType"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List jobs
    * @description `started` and `ended` are compared with `last_modified`. For every account.
    */
    get: operations["listJobs"];
    put?: never;
    /**
    * Queue a job
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createJob"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a job
    * @description For every account.
    */
    get: operations["getJob"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/{id}/executions/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List executions of a job
    * @description Newest first. An execution exists as soon as a node was found for it. For every account.
    */
    get: operations["listJobExecutions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/{id}/executions/{exe_num}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show an execution of a job
    * @description For every account.
    */
    get: operations["getJobExecution"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/{id}/input_files/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List the input files of a job
    * @description Each file once, ordered by `last_modified`. For every account.
    */
    get: operations["listJobInputFiles"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/{id}/why/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Why a job waits, or ended as it did
    * @description Answered by the code with which the scheduler and the recipe decide. For a job that waits for a node: what would have to change for the next pass to place it. For every account.
    */
    get: operations["getJobWhy"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/cancel/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Cancel jobs
    * @description A job must match every filter; it matches a list with one of its values. At least one filter is required. Jobs of system types are changed only if jobs or job types are named. The answer comes before the jobs are changed. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["cancelJobs"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/jobs/requeue/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Queue jobs again
    * @description A job must match every filter; it matches a list with one of its values. At least one filter is required. Jobs of system types are changed only if jobs or job types are named. The answer comes before the jobs are changed. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["requeueJobs"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/load/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Pending, queued and running jobs over time
    * @description One item for each hour or minute that was sampled, the oldest first; a type without such jobs counts as zero. The jobs of a scan that nobody has started are not counted. The range begins a week ago, at midnight UTC, when it is not given. For every account.
    */
    get: operations["listLoad"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Log in with a password
    * @description Sets the cookie `millrace_session`, which the browser sends with each request, and `csrftoken`, which scripts repeat in the header `X-CSRFToken` of every request that is not a GET. After some failures each further try has to wait longer (429). Open to everybody.
    */
    post: operations["login"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/codes/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Begin a login by a code
    * @description For a program that a person uses: it shows `user_code` and `verification_uri`, and polls `POST /v6/login/codes/token/` until the person has approved the login there. At most 5 codes of one address, and 1,000 of all, are valid at a time (429). Open to everybody.
    */
    post: operations["loginCodes"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/codes/decision/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Approve or deny a login
    * @description With a session of a browser only. The token will belong to the account of the session. For every account; by a session or a token of scope `admin`.
    */
    post: operations["loginCodesDecision"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/codes/lookup/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Read what a code asks for
    * @description For the person who decides, with a session. It is a POST, so that no address contains the code. After five wrong codes of an account, or fifty of an address, each further try has to wait longer (429). For every account; by a session or a token of scope `admin`.
    */
    post: operations["loginCodesLookup"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/codes/token/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Take the token of an approved login
    * @description Polled by the program that began the login. 400 while there is no token: `LOGIN_PENDING`, `LOGIN_SLOW_DOWN` (from then on, wait 5 s longer between two polls), `LOGIN_DENIED`, `LOGIN_EXPIRED`. Open to everybody.
    */
    post: operations["loginCodesToken"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/openid/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Log in by the OpenID provider
    * @description Sends the browser to the provider that MILLRACE_OIDC_ISSUER names, which sends it back to the callback. 404 if no provider is set up. Open to everybody.
    */
    get: operations["getLoginOpenid"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/login/openid/callback/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Where the OpenID provider sends browsers back to
    * @description Begins a session as `POST /v6/login/` does. The first login creates the account, whose name is the claim `preferred_username`. Open to everybody.
    */
    get: operations["getLoginOpenidCallback"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/logout/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * End the session of the cookie, or revoke the token
    * @description Ends the session of the cookie. A token that is sent is revoked, whatever its scope. Does nothing without these. Open to everybody.
    */
    post: operations["logout"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/metrics/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List types of metrics
    * @description For every account.
    */
    get: operations["listMetrics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/metrics/{name}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * A type of metrics, with what it can be restricted to
    * @description For every account.
    */
    get: operations["getMetric"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/metrics/{name}/plot-data/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Figures by hour, one series for each column
    * @description Both ends of the range are compared with the beginnings of hours. The columns that are named come first, in the order of the query, then those of groups; without either, all columns of the type. Without choices the figures are those of all choices together. For every account.
    */
    get: operations["listMetricPlotData"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/nodes/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List nodes
    * @description For every account.
    */
    get: operations["listNodes"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/nodes/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * A node
    * @description For every account.
    */
    get: operations["getNode"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
    * Pause, resume, activate or deactivate a node
    * @description For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editNode"];
    trace?: never;
  };
  "/v6/nodes/use/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What nodes had and used, by the minute
    * @description One item for each minute of the last day in which a coordinator ran, the oldest first: the resources
    *     of the nodes that were connected and active, and the resources that their running executions held. For every account.
    */
    get: operations["listNodesUse"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/notifications/{queue_name}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Take a notification of an object store
    * @description For stores that can only send HTTP. The queue is one that a strike reads. A token is needed if MILLRACE_NOTIFICATION_TOKEN is set. With the token for notifications if one is configured, otherwise for staff.
    */
    post: operations["notify"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/openapi.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * The OpenAPI document of the interface
    * @description Open to everybody.
    */
    get: operations["getOpenapiJson"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/overview/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What arrives, waits, runs, has failed and needs attention
    * @description The figures that a person on duty watches, in one answer. Of each kind of entry the first
    *     10 are answered. For every account.
    */
    get: operations["getOverview"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/purges/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List purges
    * @description For every account.
    */
    get: operations["listPurges"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/purges/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * How far a purge has come, and what it has removed
    * @description For every account.
    */
    get: operations["getPurge"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/queue/classes/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Queued jobs by what they need of a node
    * @description Jobs of one class have the same type, resources, executor and workspaces, so the scheduler treats them
    *     alike. Classes that no node could run come first, then those that wait longest. For every account.
    */
    get: operations["listQueueClasses"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/queue/status/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Queued jobs by job type
    * @description Types that are not paused come first, more urgent ones before others, then those that wait longest. For every account.
    */
    get: operations["listQueueStatus"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/ready/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Whether this coordinator takes requests
    * @description 503 with the reason while it starts, before it ends and while it cannot reach the database. Without NATS it is ready, with a warning. For load balancers; the state of the installation is at `/v6/status/`. Open to everybody.
    */
    get: operations["getReady"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List recipe types
    * @description For every account.
    */
    get: operations["listRecipeTypes"];
    put?: never;
    /**
    * Create a recipe type
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createRecipeType"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/{name}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a recipe type
    * @description For every account.
    */
    get: operations["getRecipeType"];
    put?: never;
    post?: never;
    /**
    * Delete a recipe type
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. Live are its recipes that have not ended, active recipe types that contain it, and strikes, scans and batches that start recipes of it and are under way. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteRecipeType"];
    options?: never;
    head?: never;
    /**
    * Edit a recipe type
    * @description For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editRecipeType"];
    trace?: never;
  };
  "/v6/recipe-types/{name}/grid/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show the last recipes of a recipe type, node by node
    * @description For every account.
    */
    get: operations["getRecipeTypeGrid"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/{name}/revisions/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List revisions of a recipe type
    * @description For every account.
    */
    get: operations["listRecipeTypeRevisions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/{name}/revisions/{revision_num}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a revision of a recipe type
    * @description For every account.
    */
    get: operations["getRecipeTypeRevision"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/{name}/revisions/{revision_num}/difference/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show what changed between two revisions of a recipe type
    * @description For every account.
    */
    get: operations["getRecipeTypeRevisionDifference"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/{name}/revisions/{revision_num}/graph/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show the nodes of a revision of a recipe type
    * @description In an order in which they can run, with the tests of conditions in words. For every account.
    */
    get: operations["getRecipeTypeRevisionGraph"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipe-types/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a recipe type
    * @description For every account.
    */
    post: operations["validateRecipeType"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List recipes
    * @description `started` and `ended` are compared with `last_modified`. For every account.
    */
    get: operations["listRecipes"];
    put?: never;
    /**
    * Start a recipe
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createRecipe"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show a recipe and its nodes
    * @description For every account.
    */
    get: operations["getRecipe"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/chain/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List the recipes that superseded each other
    * @description The recipe with the id may be any of them. Up to 100 before it and up to 100 after it are listed. For every account.
    */
    get: operations["getRecipeChain"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/difference/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show what changed between two recipes of a type
    * @description Compares their inputs, their revisions and their products, including those of recipes inside them. For every account.
    */
    get: operations["getRecipeDifference"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/graph/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show all nodes of a recipe with their states
    * @description Includes nodes that were not created. The nodes inside a recipe node are in the graph of that recipe. For every account.
    */
    get: operations["getRecipeGraph"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/input_files/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List the input files of a recipe
    * @description Each file once, ordered by `last_modified`. For every account.
    */
    get: operations["listRecipeInputFiles"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/reprocess/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Reprocess a recipe
    * @description A new recipe takes its place. Nodes that did not change and are not forced keep their jobs; the jobs of the others are superseded. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["reprocessRecipe"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/timeline/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show when the jobs of a recipe waited and ran
    * @description Also those of all recipes inside it. For every account.
    */
    get: operations["getRecipeTimeline"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/recipes/{id}/why/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Why a recipe is not complete, or why nodes were not created
    * @description For every account.
    */
    get: operations["getRecipeWhy"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/saved-filters/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List one's own saved filters
    * @description For every account; by a session or a token of scope `admin`.
    */
    get: operations["listSavedFilters"];
    put?: never;
    /**
    * Save a filter for oneself
    * @description A filter of the same title on the same list is replaced. For every account; by a session or a token of scope `admin`.
    */
    post: operations["createSavedFilter"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/saved-filters/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
    * Remove one of one's own saved filters
    * @description For every account; by a session or a token of scope `admin`.
    */
    delete: operations["deleteSavedFilter"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scans/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List scans
    * @description For every account.
    */
    get: operations["listScans"];
    put?: never;
    /**
    * Create a scan, without starting it
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createScan"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scans/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of a scan
    * @description For every account.
    */
    get: operations["getScan"];
    put?: never;
    post?: never;
    /**
    * Delete a scan
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. Its runs and its ingests must have ended. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteScan"];
    options?: never;
    head?: never;
    /**
    * Edit a scan
    * @description Fields that are not given stay as they are. When the configuration changes, a run that is under way begins again. For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editScan"];
    trace?: never;
  };
  "/v6/scans/{id}/comparison/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Compare a scan with those of its workspace before it
    * @description At most four earlier scans of the same workspace: what their last runs counted, and their ingests. For every account.
    */
    get: operations["getScanComparison"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scans/{id}/process/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Count or ingest the files of a scan
    * @description It may be repeated: a scan ingests no file twice. A run waits while an earlier run of the scan is under way or being canceled. At most one dry run and one ingest wait; further requests of the same kind do not add another. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["processScan"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scans/{id}/test/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * What a scan would do with files of these names
    * @description Tries the names as if their files were complete: which rule would take each file, where the file would go, which recipe it would start, or why not. Nothing is changed. For every account.
    */
    post: operations["testScan"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scans/cancel/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Cancel a scan and the ingests that it has queued
    * @description Files that were ingested stay, and so do their recipes. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["cancelScan"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scans/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a scan before it is created or edited
    * @description For every account.
    */
    post: operations["validateScan"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/scheduler/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Settings of the scheduler
    * @description For every account.
    */
    get: operations["getScheduler"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
    * Change the settings of the scheduler
    * @description For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editScheduler"];
    trace?: never;
  };
  "/v6/scheduler/queued-resources/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * What the cluster has, and what the jobs in its queue need
    * @description For every account.
    */
    get: operations["getSchedulerQueuedResources"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/search/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Find objects by a part of their name or title, or by their id
    * @description Finds types, strikes, scans, workspaces, batches, datasets and nodes by a part of their name or title, in any case: at most 5 of each kind, from the 10,000 newest. A number also finds the object of each kind with this id, including jobs, recipes, files and ingests. `/v6/files/?file_name_search=` finds files by their names. For every account.
    */
    get: operations["getSearch"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/secret-keys/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Keys that stored secrets are encrypted with
    * @description The oldest first; keys that never encrypted anything come last. A new key is used once every coordinator has it. What older keys encrypted is then encrypted again, which takes at least a minute. For every account.
    */
    get: operations["getSecretKeys"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/status/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * State of the installation: scheduler, nodes, what it depends on
    * @description 503 if no coordinator runs the scheduler, or the state could not be read for 12 seconds. For every account.
    */
    get: operations["getStatus"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/strikes/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List strikes
    * @description For every account.
    */
    get: operations["listStrikes"];
    put?: never;
    /**
    * Create a strike and start it
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createStrike"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/strikes/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of a strike
    * @description For every account.
    */
    get: operations["getStrike"];
    put?: never;
    post?: never;
    /**
    * Delete a strike
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. It must be paused, and its ingests must have ended. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteStrike"];
    options?: never;
    head?: never;
    /**
    * Edit, pause or resume a strike
    * @description Fields that are not given stay as they are. When rules change, deferred files are tried again. Masked secrets are kept. For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editStrike"];
    trace?: never;
  };
  "/v6/strikes/{id}/test/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * What a strike would do with files of these names
    * @description Tries the names as if their files were complete: which rule would take each file, where the file would go, which recipe it would start, or why not. Nothing is changed. For every account.
    */
    post: operations["testStrike"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/strikes/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a strike before it is created or edited
    * @description For every account.
    */
    post: operations["validateStrike"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/timeline/job-types/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Jobs started by day, by job type
    * @description Whole days from that of `started` to that of `ended`, both included, in UTC. A job that was tried again counts on the day of its last start. For every account.
    */
    get: operations["getTimelineJobTypes"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/timeline/recipe-types/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Recipes created by day, by recipe type
    * @description Whole days from that of `started` to that of `ended`, both included, in UTC. Each revision of a type is an item. For every account.
    */
    get: operations["getTimelineRecipeTypes"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/tokens/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List tokens
    * @description The caller's own tokens; staff see all. For every account; by a session or a token of scope `admin`.
    */
    get: operations["listTokens"];
    put?: never;
    /**
    * Create a token
    * @description Programs send it as `Authorization: Bearer <token>` (or `Token <token>`). A token never permits more than its account may do. For every account; by a session or a token of scope `admin`.
    */
    post: operations["createToken"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/tokens/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of a token
    * @description For every account; by a session or a token of scope `admin`.
    */
    get: operations["getToken"];
    put?: never;
    post?: never;
    /**
    * Revoke a token
    * @description It is refused from now on; its record stays. Staff may revoke any. For every account; by a session or a token of scope `admin`.
    */
    delete: operations["deleteToken"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/type-updates/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List updates of recipe types to a new revision of a type that they contain
    * @description For every account.
    */
    get: operations["listTypeUpdates"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/type-updates/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Show how far an update of recipe types has come, and which stayed behind
    * @description For every account.
    */
    get: operations["getTypeUpdate"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/version/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Version of the service
    * @description Open to everybody.
    */
    get: operations["getVersion"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/workspaces/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List workspaces
    * @description For every account.
    */
    get: operations["listWorkspaces"];
    put?: never;
    /**
    * Create a workspace
    * @description For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createWorkspace"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/workspaces/{id}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Details of a workspace
    * @description For every account.
    */
    get: operations["getWorkspace"];
    put?: never;
    post?: never;
    /**
    * Delete a workspace
    * @description The call is refused with 409 while something live needs the record; the answer names what does. A record without a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a create under its name brings it back, with its id. Live are its files that are not deleted, active job types that store products in it, strikes that name it and are not paused, and scans that name it and are under way. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteWorkspace"];
    options?: never;
    head?: never;
    /**
    * Edit a workspace
    * @description Fields that are not given stay as they are. A configuration replaces the old one; masked secrets are kept, and so is `http` where it is not given. For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editWorkspace"];
    trace?: never;
  };
  "/v6/workspaces/{name}/files/{path}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Content of a file by its path
    * @description Streams a recorded file. A file that is not recorded is served to staff, where the configuration of the workspace says `http: read` or `write`. Headers and ranges are those of `/v6/files/{id}/content/`. For every account.
    */
    get: operations["getWorkspaceFile"];
    /**
    * Store a file at a path that has none
    * @description The body is the file. Needs `http: write` in the configuration of the workspace. The file appears at its path when it is complete. Nothing is overwritten: 409 if there is anything at the path. 507 if the disk is full. For staff; with a token of scope `write` or `admin`.
    */
    put: operations["putWorkspaceFile"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/workspaces/{name}/unrecorded/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * Files that lie in a workspace without a record
    * @description For example those that were made after the backup that was restored. An agent lists the workspace in the order of paths, and one page of it is compared with the records: read on with `after` until `next_after` is null. A page may be empty. Files that wait for their ingest have no record yet; hidden names are left out. For staff; with a token of scope `write` or `admin`.
    */
    get: operations["getWorkspaceUnrecorded"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/workspaces/{name}/uploads/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Begin an upload that can be resumed
    * @description Speaks [tus 1.0](https://tus.io/protocols/resumable-upload) with the extensions creation, termination and expiration. Needs `http: write` in the configuration of the workspace. The bytes follow in PATCH requests to `Location`. The file appears at its path when it is complete, and never replaces another file. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["createWorkspaceUpload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/workspaces/{name}/uploads/{upload}/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * How far an upload has come
    * @description HEAD answers the same in headers: `Upload-Offset` is the number of bytes that are on disk. The call ends a PATCH of the same upload that is still under way, because clients make it after their connection broke. For staff; with a token of scope `write` or `admin`.
    */
    get: operations["getWorkspaceUpload"];
    put?: never;
    /**
    * Continue or end an upload through a proxy that lets only POST pass
    * @description As PATCH or DELETE, whichever `X-HTTP-Method-Override` names. For staff; with a token of scope `write` or `admin`.
    */
    post: operations["addToWorkspaceUpload"];
    /**
    * End an upload
    * @description Removes what was sent. A file that is already stored stays. For staff; with a token of scope `write` or `admin`.
    */
    delete: operations["deleteWorkspaceUpload"];
    options?: never;
    head?: never;
    /**
    * Continue an upload
    * @description Appends the body. The answer comes when the whole body is on disk. With the last byte of the file, it comes when the file is at its path. 409 if `Upload-Offset` is not where the upload ends, or another request continues it. For staff; with a token of scope `write` or `admin`.
    */
    patch: operations["editWorkspaceUpload"];
    trace?: never;
  };
  "/v6/workspaces/unreached/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
    * List active workspaces that no node reaches
    * @description For every account.
    */
    get: operations["listWorkspacesUnreached"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v6/workspaces/validation/": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
    * Check a workspace before it is created or edited
    * @description For every account.
    */
    post: operations["validateWorkspace"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AccessToken: {
      account: {
        id: number;
        username: string;
      };
      /** Format: date-time */
      created: string;
      expires: string | null;
      id: number;
      /** @description True: neither expired nor revoked, and its account is active. */
      is_active: boolean;
      last_used: string | null;
      name: string;
      revoked: string | null;
      /**
      * @description `read`: read and validate; `write`: also change things, if the account may; `admin`: also tokens, accounts and the audit.
      * @enum {string}
      */
      scope: "read" | "write" | "admin";
    };
    AccessTokenCreate: {
      /** @description The account; the caller's own when absent. Only staff may name another account. */
      account_id?: number;
      expires?: string | null;
      /** @description What it is for. */
      name: string;
      /**
      * @description `read`: read and validate; `write`: also change things, if the account may; `admin`: also tokens, accounts and the audit.
      * @default read
      * @enum {string}
      */
      scope: "read" | "write" | "admin";
    };
    AccessTokenPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["AccessToken"][];
    };
    Account: {
      /** Format: date-time */
      created: string;
      email: string;
      first_name: string;
      /** @description An account without a password can only use tokens. */
      has_password: boolean;
      id: number;
      /** @description An inactive account is refused, and so are its tokens. */
      is_active: boolean;
      /** @description May change things; others may read and validate. */
      is_staff: boolean;
      last_login: string | null;
      /** Format: date-time */
      last_modified: string;
      last_name: string;
      username: string;
    };
    AccountCreate: {
      email?: string;
      first_name?: string;
      /** @default true */
      is_active: boolean;
      /** @default false */
      is_staff: boolean;
      last_name?: string;
      password?: string;
      /** @description Letters, digits and _ . @ + -; names that differ in case only are the same. Never changed. */
      username: string;
    };
    AccountEdit: {
      email?: string;
      first_name?: string;
      is_active?: boolean;
      is_staff?: boolean;
      last_name?: string;
    };
    AccountPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Account"][];
    };
    Activity: {
      /** @description Files that became INGESTED. */
      ingested_count: number;
      /** @description Products whose lag was measured. */
      lag_count: number;
      lag_max_ms: number | null;
      lag_p50_ms: number | null;
      lag_p95_ms: number | null;
      /** @description Products that were recorded. */
      product_count: number;
      /** @description Recipes that were completed; recipes inside others are not counted. */
      recipe_count: number;
      /**
      * Format: date-time
      * @description When the minute began.
      */
      time: string;
    };
    ActivityPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Activity"][];
    };
    AuditEntry: {
      account_id: number | null;
      /** @description Where the request came from. */
      address: string;
      /** Format: date-time */
      at: string;
      id: number;
      /**
      * @description `command`: on the command line of a host.
      * @enum {string}
      */
      known_by: "none" | "session" | "token" | "command";
      method: string;
      /** @description The path as it was called. */
      path: string;
      record_id: number | null;
      /** @description The `x-request-id` of the answer, and in the log. */
      request_id: string;
      /** @description The path as this document writes it. */
      route: string;
      status: number | null;
      token_id: number | null;
      /** @description `Anonymous` where authentication is off. */
      username: string;
    };
    AuditEntryPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["AuditEntry"][];
    };
    Batch: {
      /** Format: date-time */
      created: string;
      description: string;
      event: components["schemas"]["Event"];
      id: number;
      /** @description All its recipes are created. */
      is_creation_done: boolean;
      /** @description A newer batch has reprocessed its recipes. */
      is_superseded: boolean;
      jobs_blocked: number;
      jobs_canceled: number;
      jobs_completed: number;
      jobs_failed: number;
      jobs_pending: number;
      jobs_queued: number;
      jobs_running: number;
      jobs_total: number;
      /** Format: date-time */
      last_modified: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      recipe_type: components["schemas"]["RecipeTypeSummary"];
      recipe_type_rev: {
        id: number;
        recipe_type: components["schemas"]["IdRef"];
        revision_num: number;
      };
      recipes_completed: number;
      recipes_estimated: number;
      recipes_total: number;
      root_batch: components["schemas"]["BatchSummary"] | null;
      /**
      * @description FAILED or CANCELED: it is not complete, none of its jobs is pending, queued or running, and some have failed, or else were canceled.
      * @enum {string}
      */
      status: "CREATING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED" | "SUPERSEDED";
      superseded: string | null;
      superseded_batch: components["schemas"]["BatchSummary"] | null;
      title: string;
    };
    BatchComparison: {
      batches: components["schemas"]["BatchSummary"][];
      metrics: {
        /** @description By the name of a job node; null for a batch without the node. */
        job_metrics: {
          [key: string]: {
            /** @description In the order of the batches. */
            avg_job_duration: (string | null)[];
            /** @description In the order of the batches. */
            avg_seed_duration: (string | null)[];
            /** @description In the order of the batches. */
            jobs_blocked: (number | null)[];
            /** @description In the order of the batches. */
            jobs_canceled: (number | null)[];
            /** @description In the order of the batches. */
            jobs_completed: (number | null)[];
            /** @description In the order of the batches. */
            jobs_failed: (number | null)[];
            /** @description In the order of the batches. */
            jobs_pending: (number | null)[];
            /** @description In the order of the batches. */
            jobs_queued: (number | null)[];
            /** @description In the order of the batches. */
            jobs_running: (number | null)[];
            /** @description In the order of the batches. */
            jobs_total: (number | null)[];
            /** @description In the order of the batches. */
            max_job_duration: (string | null)[];
            /** @description In the order of the batches. */
            max_seed_duration: (string | null)[];
            /** @description In the order of the batches. */
            min_job_duration: (string | null)[];
            /** @description In the order of the batches. */
            min_seed_duration: (string | null)[];
          };
        };
        /** @description In the order of the batches. */
        jobs_blocked: number[];
        /** @description In the order of the batches. */
        jobs_canceled: number[];
        /** @description In the order of the batches. */
        jobs_completed: number[];
        /** @description In the order of the batches. */
        jobs_failed: number[];
        /** @description In the order of the batches. */
        jobs_pending: number[];
        /** @description In the order of the batches. */
        jobs_queued: number[];
        /** @description In the order of the batches. */
        jobs_running: number[];
        /** @description In the order of the batches. */
        jobs_total: number[];
        /** @description In the order of the batches. */
        recipes_completed: number[];
        /** @description In the order of the batches. */
        recipes_estimated: number[];
        /** @description In the order of the batches. */
        recipes_total: number[];
      };
    };
    /**
    * How the recipes of a batch run
    * @example {
    *       "priority": 10,
    *       "inputMap": [
    *         {
    *           "input": "TEXT",
    *           "datasetParameter": "DOCUMENT"
    *         }
    *       ]
    *     }
    */
    BatchConfiguration: {
      /** @description Inputs whose names differ from those of the parameters that feed them. */
      inputMap?: {
        /** @description The parameter of the dataset that feeds it. */
        datasetParameter: string;
        /** @description An input of the recipe; each at most once. */
        input: string;
      }[] | null;
      /** @description The priority of all its jobs; it overrides the priorities of recipes and job types. */
      priority?: number | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    BatchCreate: {
      /** @description How its recipes run. */
      configuration?: components["schemas"]["BatchConfiguration"];
      /** @description What it runs on. */
      definition: components["schemas"]["BatchDefinition"];
      description?: string;
      /** @description Its newest revision is used. */
      recipe_type_id: number;
      /** @description The same as in the definition. */
      supersedes?: boolean;
      /** @description Default: an empty text. */
      title?: string;
    };
    /**
    * What a batch runs on: a dataset, or the recipes of a previous batch
    * @example {
    *       "dataset": 4,
    *       "supersedes": true,
    *       "forced_nodes": {
    *         "all": true
    *       }
    *     }
    * @example {
    *       "previous_batch": {
    *         "root_batch_id": 2,
    *         "forced_nodes": {
    *           "all": false,
    *           "nodes": [
    *             "compress"
    *           ]
    *         }
    *       }
    *     }
    */
    BatchDefinition: {
      /** @description Its members become recipes. */
      dataset?: number | null;
      /** @description What runs again although nothing changed. */
      forced_nodes?: components["schemas"]["ForcedNodes"] | null;
      /** @description If it is given, the dataset is ignored. */
      previous_batch?: {
        /** @description What runs again although nothing changed. */
        forced_nodes?: components["schemas"]["ForcedNodes"] | null;
        /** @description The first batch of the chain whose recipes are reprocessed. */
        root_batch_id: number;
      } | null;
      /** @description Reprocess current recipes that have the same input, instead of starting new ones. */
      supersedes?: boolean | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    BatchDetails: {
      configuration: components["schemas"]["BatchConfiguration"];
      /** Format: date-time */
      created: string;
      /** @description With all defaults. */
      definition: components["schemas"]["BatchDefinition"];
      description: string;
      event: components["schemas"]["Event"];
      id: number;
      /** @description All its recipes are created. */
      is_creation_done: boolean;
      /** @description A newer batch has reprocessed its recipes. */
      is_superseded: boolean;
      /** @description By the name of a job node. */
      job_metrics: {
        [key: string]: {
          avg_job_duration: string | null;
          avg_seed_duration: string | null;
          jobs_blocked: number;
          jobs_canceled: number;
          jobs_completed: number;
          jobs_failed: number;
          jobs_pending: number;
          jobs_queued: number;
          jobs_running: number;
          jobs_total: number;
          max_job_duration: string | null;
          max_seed_duration: string | null;
          min_job_duration: string | null;
          min_seed_duration: string | null;
        };
      };
      jobs_blocked: number;
      jobs_canceled: number;
      jobs_completed: number;
      jobs_failed: number;
      jobs_pending: number;
      jobs_queued: number;
      jobs_running: number;
      jobs_total: number;
      /** Format: date-time */
      last_modified: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      recipe_type: components["schemas"]["RecipeTypeSummary"];
      recipe_type_rev: {
        /** Format: date-time */
        created: string;
        definition: components["schemas"]["RecipeDefinition"];
        id: number;
        recipe_type: components["schemas"]["IdRef"];
        revision_num: number;
      };
      recipes_completed: number;
      recipes_estimated: number;
      /** @description Members, or recipes of the previous batch, that could not become a recipe. */
      recipes_skipped: number;
      recipes_total: number;
      root_batch: components["schemas"]["BatchSummary"] | null;
      /**
      * @description FAILED or CANCELED: it is not complete, none of its jobs is pending, queued or running, and some have failed, or else were canceled.
      * @enum {string}
      */
      status: "CREATING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED" | "SUPERSEDED";
      superseded: string | null;
      superseded_batch: components["schemas"]["BatchSummary"] | null;
      title: string;
    };
    BatchEdit: {
      /** @description Replaces the configuration. Jobs that are queued keep the old one. */
      configuration?: components["schemas"]["BatchConfiguration"];
      description?: string;
      /** @description Default: an empty text. */
      title?: string;
    };
    BatchEffects: {
      jobs: number | null;
      jobs_without_figures: number | null;
      processor_hours: number | null;
      recipes: number | null;
    };
    BatchPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Batch"][];
    };
    BatchSummary: {
      /** Format: date-time */
      created: string;
      description: string;
      id: number;
      title: string;
    };
    BatchValidationResult: {
      /** @description At most what the batch would create. Null: not known, because of errors or because it depends on earlier recipes. */
      effects?: components["schemas"]["BatchEffects"];
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      errors: components["schemas"]["Problem"][];
      /** @description True: the same fields would be accepted by the create or edit call. */
      is_valid: boolean;
      prev_batch?: {
        diff: components["schemas"]["DefinitionDifference"];
        recipe_type_rev: {
          id: number;
          recipe_type: components["schemas"]["IdRef"];
          revision_num: number;
        };
      };
      recipe_type: components["schemas"]["RecipeTypeSummary"] | null;
      recipes_estimated: number | null;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      warnings: components["schemas"]["Problem"][];
    };
    /**
    * @example {
    *       "name": "nodes-busy",
    *       "reason": "every node that could run it is busy: host-1 has 512 MiB free, and it asks for 4 GiB of memory",
    *       "since": null,
    *       "amounts": [
    *         {
    *           "name": "mem",
    *           "wanted": 4096,
    *           "there": 512,
    *           "node": "host-1"
    *         }
    *       ],
    *       "subjects": [
    *         {
    *           "kind": "node",
    *           "id": 1,
    *           "name": "host-1"
    *         }
    *       ],
    *       "help": "Wait until jobs end there, cancel some, or add a node.",
    *       "action": null
    *     }
    */
    Cause: {
      action: {
        body: {
          [key: string]: unknown;
        } | null;
        /**
        * @description A GET answers what to read next.
        * @enum {string}
        */
        method: "GET" | "PATCH" | "POST";
        path: string;
        /** @description What it does, as the label of a button says it. */
        title: string;
      } | null;
      amounts: {
        /** @description A resource, `jobs`, `tries`, `seconds`, … */
        name: string;
        node: string | null;
        there: number;
        wanted: number;
      }[];
      help: string | null;
      /**
      * @description For programs. The page `why` of the guide explains each; more may be added.
      * @enum {string}
      */
      name: "scheduler-paused" | "job-type-paused" | "retry-pause" | "job-type-limit" | "no-node" | "no-executor" | "resources-on-no-node" | "workspace-inactive" | "workspace-unreached" | "node-paused" | "node-offline" | "node-degraded" | "node-deprecated" | "nodes-busy" | "node-reserved" | "behind-others" | "next-pass" | "tried-again" | "running" | "node-silent" | "failed" | "tries-used-up" | "canceled" | "superseded" | "ingest-waits" | "strike-waits" | "scan-waits" | "waits-for-parents" | "blocked-by-parent" | "blocked-from-outside" | "recipe-without-input" | "condition-refused" | "condition-accepted" | "parent-absent" | "condition-open" | "node-due" | "purged" | "ingested" | "no-recipe" | "transferring" | "ingesting" | "deferred" | "duplicate" | "ingest-failed" | "product" | "nothing-looks" | "strike-paused" | "hidden-name" | "in-sub-directory" | "transfer-suffix" | "no-rule" | "rule-not-applied" | "recipe-takes-no-such-file" | "not-seen" | "not-scanned";
      /** @description For people; the words may change. */
      reason: string;
      since: string | null;
      /** @description The objects that the cause is about. */
      subjects: {
        id: number | null;
        /** @enum {string} */
        kind: "batch" | "condition" | "error" | "file" | "ingest" | "job" | "job_type" | "node" | "recipe" | "recipe_node" | "recipe_type" | "rule" | "scan" | "strike" | "workspace";
        name: string | null;
      }[];
    };
    ChangePage: {
      changes: components["schemas"]["ObjectChange"][];
      /** @description As `after`, it continues after all changes that were examined for this page. */
      cursor: string;
      /** @description False: there is more already, even if the page is empty. */
      is_at_end: boolean;
    };
    /** A node that decides whether the nodes after it run */
    ConditionNode: {
      data_filter: components["schemas"]["DataFilter"];
      /** @description What it takes. Nodes after it may use these values as its outputs. */
      interface: components["schemas"]["Interface"];
      /** @enum {string} */
      node_type: "condition";
    };
    Data: {
      /** @description Ids of files by parameter. */
      files: {
        [key: string]: number[];
      };
      /** @description JSON values by parameter. */
      json: {
        [key: string]: unknown;
      };
    };
    /**
    * A test of data: what a condition accepts
    * @example {
    *       "filters": [
    *         {
    *           "name": "WORDS",
    *           "type": "integer",
    *           "condition": "<",
    *           "values": [
    *             100
    *           ]
    *         }
    *       ]
    *     }
    * @example {
    *       "filters": [
    *         {
    *           "name": "TEXT",
    *           "type": "media-type",
    *           "condition": "in",
    *           "values": [
    *             "text/plain",
    *             "text/csv"
    *           ]
    *         },
    *         {
    *           "name": "META",
    *           "type": "object",
    *           "condition": "==",
    *           "values": [
    *             [
    *               "a"
    *             ]
    *           ],
    *           "fields": [
    *             [
    *               "origin",
    *               "name"
    *             ]
    *           ]
    *         }
    *       ],
    *       "all": false
    *     }
    */
    DataFilter: {
      /** @description Every filter must pass, not just one. Default: true. */
      all?: boolean | null;
      /** @description None: nothing is accepted. */
      filters?: {
        /** @description Every path must pass, not just one. Default: true. */
        all_fields?: boolean | null;
        /** @description Every file must pass, not just one. Default: false. */
        all_files?: boolean | null;
        /**
        * @description The given value stands on the left: `<` with 100 passes for 101, since 100 < 101. Texts take `==`, `!=`, `in`, `not in`, `contains`; numbers the signs, `between`, `in`, `not in`; booleans `==`, `!=`; objects and meta-data `subset of`, `superset of`, and all with `fields`.
        * @enum {string}
        */
        condition: "<" | "<=" | ">" | ">=" | "==" | "!=" | "between" | "in" | "not in" | "contains" | "subset of" | "superset of";
        /** @description Paths into an object or meta-data, as many as `values` has lists. */
        fields?: string[][] | null;
        /** @description Of the parameter that is tested. */
        name: string;
        /**
        * @description That of the parameter; or, of files, what is looked at: `filename`, `media-type`, `data-type` (labels) or `meta-data`.
        * @enum {string}
        */
        type: "string" | "filename" | "media-type" | "data-type" | "integer" | "number" | "boolean" | "object" | "meta-data";
        /** @description What is compared with. Of several values, one that passes is enough. With `fields`, one list for each path. */
        values: unknown[];
      }[] | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    Dataset: {
      /** Format: date-time */
      created: string;
      definition: components["schemas"]["DatasetDefinition"];
      description: string;
      files: number;
      id: number;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      title: string;
    };
    DatasetComparison: {
      before: {
        /** Format: date-time */
        created: string;
        files: number;
        id: number;
        members: number;
        title: string;
      } | null;
      dataset: {
        /** Format: date-time */
        created: string;
        files: number;
        id: number;
        members: number;
        title: string;
      };
      files: {
        /** @description The first 20. */
        added: {
          file_name: string;
          id: number;
        }[];
        added_count: number;
        common_count: number;
        /** @description The first 20. */
        removed: {
          file_name: string;
          id: number;
        }[];
        removed_count: number;
      } | null;
    };
    DatasetCreate: {
      batch_id?: number | number[];
      countries?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      created_ended?: string;
      /** @description An ISO-8601 instant, or a duration before now. */
      created_started?: string;
      /** @description The values of each new member in a list, or those of a single member. */
      data?: components["schemas"]["DataValues"] | components["schemas"]["DataValues"][];
      /** @description An ISO-8601 instant, or a duration before now. */
      data_ended?: string;
      /** @description An ISO-8601 instant, or a duration before now. */
      data_started?: string;
      /** @description Makes one member for each stored file that the fields below choose. */
      data_template?: components["schemas"]["DataTemplate"];
      /** @description The parameters of its members. */
      definition: components["schemas"]["DatasetDefinition"];
      description?: string;
      /** @description Nothing is stored; the answer is the data that members would have. */
      dry_run?: boolean;
      file_name?: string | string[];
      /** @description Part of the name, in any case. */
      file_name_search?: string;
      file_type?: string | string[];
      job_id?: number | number[];
      job_output?: string | string[];
      job_type_id?: number | number[];
      job_type_name?: string | string[];
      media_type?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      modified_ended?: string;
      /** @description An ISO-8601 instant, or a duration before now. */
      modified_started?: string;
      /** @description Order of files, as in the list of files. */
      order?: string | string[];
      recipe_id?: number | number[];
      recipe_node?: string | string[];
      recipe_type_id?: number | number[];
      source_collection?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      source_ended?: string;
      source_sensor?: string | string[];
      source_sensor_class?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      source_started?: string;
      source_task?: string | string[];
      /** @description Default: an empty text. */
      title?: string;
    };
    /**
    * The parameters of the members of a dataset, and data that all share
    * @example {
    *       "parameters": {
    *         "files": [
    *           {
    *             "name": "TEXT"
    *           }
    *         ]
    *       }
    *     }
    * @example {
    *       "parameters": {
    *         "files": [
    *           {
    *             "name": "TEXT"
    *           }
    *         ]
    *       },
    *       "global_parameters": {
    *         "json": [
    *           {
    *             "name": "THRESHOLD",
    *             "type": "number"
    *           }
    *         ]
    *       },
    *       "global_data": {
    *         "json": {
    *           "THRESHOLD": 0.5
    *         }
    *       }
    *     }
    */
    DatasetDefinition: {
      /** @description Values for the global parameters; required with them. */
      global_data?: components["schemas"]["DataValues"] | null;
      /** @description Of all members together. */
      global_parameters?: components["schemas"]["Interface"] | null;
      /** @description Of each member. */
      parameters?: components["schemas"]["Interface"] | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    DatasetDetails: {
      /** Format: date-time */
      created: string;
      definition: components["schemas"]["DatasetDefinition"];
      description: string;
      /** @description The first 10,000. */
      files: {
        id: number;
        parameter_name: string;
        scale_file: {
          countries: string[];
          file_name: string;
          id: number;
        };
      }[];
      id: number;
      /** @description The first 10,000. */
      members: components["schemas"]["DatasetMember"][];
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      title: string;
    };
    DatasetMember: {
      /** Format: date-time */
      created: string;
      data: components["schemas"]["Data"];
      file_ids: number[];
      id: number;
    };
    DatasetMemberDetails: {
      /** Format: date-time */
      created: string;
      data: components["schemas"]["Data"];
      dataset: components["schemas"]["IdRef"];
      file_ids: number[];
      files: {
        id: number;
        parameter_name: string;
        scale_file: components["schemas"]["StoredFile"];
      }[];
      id: number;
    };
    DatasetMembersCreate: {
      batch_id?: number | number[];
      countries?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      created_ended?: string;
      /** @description An ISO-8601 instant, or a duration before now. */
      created_started?: string;
      /** @description The values of each new member in a list, or those of a single member. */
      data?: components["schemas"]["DataValues"] | components["schemas"]["DataValues"][];
      /** @description An ISO-8601 instant, or a duration before now. */
      data_ended?: string;
      /** @description An ISO-8601 instant, or a duration before now. */
      data_started?: string;
      /** @description Makes one member for each stored file that the fields below choose. */
      data_template?: components["schemas"]["DataTemplate"];
      /** @description Nothing is stored; the answer is the data that members would have. */
      dry_run?: boolean;
      file_name?: string | string[];
      /** @description Part of the name, in any case. */
      file_name_search?: string;
      file_type?: string | string[];
      job_id?: number | number[];
      job_output?: string | string[];
      job_type_id?: number | number[];
      job_type_name?: string | string[];
      media_type?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      modified_ended?: string;
      /** @description An ISO-8601 instant, or a duration before now. */
      modified_started?: string;
      /** @description Order of files, as in the list of files. */
      order?: string | string[];
      recipe_id?: number | number[];
      recipe_node?: string | string[];
      recipe_type_id?: number | number[];
      source_collection?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      source_ended?: string;
      source_sensor?: string | string[];
      source_sensor_class?: string | string[];
      /** @description An ISO-8601 instant, or a duration before now. */
      source_started?: string;
      source_task?: string | string[];
    };
    DatasetPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Dataset"][];
    };
    /**
    * Values with `FILE_VALUE` where the id of a file goes
    * @example {
    *       "files": {
    *         "TEXT": "FILE_VALUE"
    *       }
    *     }
    * @example {
    *       "files": {
    *         "TEXT": [
    *           "FILE_VALUE",
    *           7
    *         ]
    *       },
    *       "json": {}
    *     }
    */
    DataTemplate: {
      /** @description By the names of parameters. */
      files: {
        [key: string]: ("FILE_VALUE" | number) | ("FILE_VALUE" | number)[];
      };
      /** @description JSON values by the names of parameters. */
      json?: {
        [key: string]: unknown;
      } | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    /**
    * Values for the parameters of an interface
    * @example {
    *       "files": {
    *         "TEXT": [
    *           7
    *         ]
    *       },
    *       "json": {}
    *     }
    * @example {
    *       "files": {
    *         "IMAGES": [
    *           7,
    *           8
    *         ]
    *       },
    *       "json": {
    *         "THRESHOLD": 0.5
    *       }
    *     }
    */
    DataValues: {
      /** @description Ids of files, in a list, by the names of parameters. */
      files?: {
        [key: string]: number[] | null;
      } | null;
      /** @description JSON values by the names of parameters. */
      json?: {
        [key: string]: unknown;
      } | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    DefinitionDifference: {
      /** @description Whether recipes of the earlier definition can be reprocessed by the later one. */
      can_be_reprocessed: boolean;
      /** @description Every node of either, by name. */
      nodes: {
        [key: string]: {
          /** @description What differs, by kind and in words. */
          changes: {
            description: string;
            name: string;
          }[];
          dependencies: {
            name: string;
          }[];
          /** @description Whether it runs again because the request forces it. */
          force_reprocess: boolean;
          /** @description As in the definition, a condition only by its kind. Fields that differ have their old value as prev_…. */
          node_type: {
            [key: string]: string | number;
          };
          /**
          * @description If it was of another kind.
          * @enum {string}
          */
          prev_node_type?: "job" | "recipe" | "condition";
          /** @description Whether reprocessing runs the node again. */
          reprocess_new_node: boolean;
          /**
          * @description A node is CHANGED also if one that it depends on is.
          * @enum {string}
          */
          status: "UNCHANGED" | "CHANGED" | "NEW" | "DELETED";
        };
      };
      /** @description Why they cannot. */
      reasons: {
        description: string;
        name: string;
      }[];
    };
    DeletionPreview: {
      /** @description There are still more: at most 1,000 of a kind are counted. */
      is_cut: boolean;
      more_count: number;
      /** @description What needs it: the first 20. */
      needed_by: {
        id: number;
        /** @enum {string} */
        kind: "file" | "purge" | "job" | "recipe" | "ingest" | "workspace" | "strike" | "scan" | "batch" | "job_type" | "recipe_type";
        name: string | null;
        /** @description A sentence. */
        reason: string;
      }[];
      /**
      * @description `removed`: the record and its name would be removed. `hidden`: it has a history, and a create under its name would bring it back. `refused`: something live needs it.
      * @enum {string}
      */
      outcome: "removed" | "hidden" | "refused";
    };
    DiagnosticRequest: {
      /** @description How many recipes to queue. */
      num: number;
    };
    /** Watches a directory */
    DirWatcherMonitor: {
      /** @description A time with a zone. Files that have lain there unchanged and unmoved since before it are not taken. */
      since?: string | null;
      /** @description How long a file without the suffix must not change before it is taken. Default: 2000. */
      stable_ms?: number | null;
      /** @description The end of the names of files that are still being written, such as `_tmp`; without `/`. */
      transfer_suffix?: string | null;
      /** @enum {string} */
      type: "dir-watcher";
    };
    Error: {
      /** @description A stable code for a program. */
      code: string;
      /** @description A sentence for a person. */
      detail: string;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      errors: components["schemas"]["Problem"][];
    };
    Event: {
      /** @description Varies with the type. */
      description: Record<string, never>;
      id: number;
      /** Format: date-time */
      occurred: string;
      rule: null;
      /** @description What triggered the record, such as USER. */
      type: string;
    };
    ExecutionConfiguration: {
      /** @description Files by input, with their present paths; the first 1,000. */
      input_files: {
        [key: string]: {
          id: number;
          is_deleted: boolean;
          local_file_name?: string;
          type: string;
          workspace_name: string;
          workspace_path: string;
        }[];
      };
      /** @description Names of workspaces by output. */
      output_workspaces: {
        [key: string]: string;
      };
      tasks: components["schemas"]["ExecutionTask"][];
      version: string;
    };
    ExecutionTask: {
      /** @description The arguments, with the values of inputs; for `pull` the image. */
      args: string;
      /** @description Limits of its container, as flags of `docker run`. */
      docker_params: {
        flag: string;
        value: string;
      }[];
      /** @description Secrets are shown as `*****`. */
      env_vars: {
        [key: string]: string;
      };
      /** @description Names of volumes; null where the mount is not configured. */
      mounts: {
        [key: string]: string | null;
      };
      resources: {
        [key: string]: number;
      };
      /** @description Null where the setting has no value; secrets are shown as `*****`. */
      settings: {
        [key: string]: string | null;
      };
      task_id: string;
      /** @enum {string} */
      type: "pull" | "pre" | "main" | "post";
      volumes: {
        [key: string]: {
          container_path: string;
          driver?: string;
          driver_opts?: {
            [key: string]: string;
          };
          host_path?: string;
          /** @enum {string} */
          mode: "ro" | "rw";
          /** @enum {string} */
          type: "host" | "volume";
        };
      };
      workspaces: {
        [key: string]: {
          /** @enum {string} */
          mode: "ro" | "rw";
        };
      };
    };
    FailureGroup: {
      count: number;
      error: components["schemas"]["RegisteredError"] | null;
      /** @description Somebody has marked the group as known. */
      is_known: boolean;
      job_type: components["schemas"]["JobTypeSummary"];
      /**
      * Format: date-time
      * @description When the last of these jobs failed.
      */
      most_recent: string;
      /** @description What was noted about it; empty without a note. */
      note: string;
      noted: string | null;
      noted_by: string | null;
    };
    FailureGroupPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["FailureGroup"][];
    };
    FailureNote: {
      is_known?: boolean;
      /** @description Replaces the note. */
      note?: string;
    };
    FileAncestor: {
      file_name: string;
      file_path: string;
      /** @enum {string} */
      file_type: "SOURCE" | "PRODUCT";
      id: number;
      is_deleted: boolean;
      job: components["schemas"]["IdRef"] | null;
      workspace: components["schemas"]["WorkspaceRef"];
    };
    FileWhy: {
      /** @description If nothing was found: for each strike and scan of the workspace, why not. */
      causes: components["schemas"]["Cause"][];
      file: {
        /** @enum {string} */
        file_type: "SOURCE" | "PRODUCT";
        id: number;
      } | null;
      /** @description What was found at this path, the newest first, 20 at most. */
      ingests: {
        id: number;
        recipe: components["schemas"]["IdRef"] | null;
        scan: components["schemas"]["IdRef"] | null;
        source_file: components["schemas"]["IdRef"] | null;
        /** @enum {string} */
        status: "TRANSFERRING" | "TRANSFERRED" | "DEFERRED" | "INGESTING" | "INGESTED" | "ERRORED" | "DUPLICATE";
        strike: components["schemas"]["IdRef"] | null;
      }[];
      path: string;
      workspace: string;
    };
    Flow: {
      /** @description From workspaces to strikes and scans, from these to recipe types, from these to job types. `files` of the last: products of the job type in recipes of the type. */
      edges: components["schemas"]["FlowEdge"][];
      /** Format: date-time */
      ended: string;
      /** @description There is more than is shown. */
      is_cut: boolean;
      nodes: components["schemas"]["FlowNode"][];
      /**
      * Format: date-time
      * @description The beginning of the first hour that is counted.
      */
      started: string;
    };
    FlowEdge: {
      /** @description Ingests, started recipes or jobs that were completed in the range. */
      done: number;
      /** @description Ingests or jobs that failed in the range. */
      failed: number;
      files: number;
      /** @description The `key` of a node. */
      from: string;
      /** @description Under way now: ingests, or all jobs of the type, whatever recipe they belong to. */
      live: number;
      /** @description `done` per hour. */
      per_hour: number;
      /** @description The `key` of a node. */
      to: string;
      /** @description Deferred ingests. */
      waiting: number;
    };
    FlowNode: {
      /** @description Jobs of a job type that are FAILED now. */
      failed: number;
      /** @description Products of a job type in recipes of the types shown. */
      files: number;
      id: number;
      /** @description False: paused, deprecated or not active; for a scan: no run is under way. */
      is_active: boolean;
      /** @description Edges refer to the node by it. */
      key: string;
      /** @enum {string} */
      kind: "workspace" | "strike" | "scan" | "recipe_type" | "job_type";
      /** @description Recipes or jobs of a type that have not ended. */
      live: number;
      name: string;
      /** @description The regular expressions of the rules of a strike or scan; the first 20. */
      patterns: string[];
      title: string;
      version: string | null;
    };
    FollowingTypes: {
      /** @description Recipe types that would keep their revision, and why. */
      behind: {
        name: string;
        reason: string;
      }[];
      /** @description Recipe types that contain the type, at any depth. */
      count: number;
      /** @description True: there are more than were examined, which are 20 at most. */
      is_cut: boolean;
      /** @description Recipe types that would take it over, and the revision that each would get. */
      raised: {
        name: string;
        revision_num: number;
      }[];
    };
    /**
    * Nodes that run again although nothing about them changed
    * @example {
    *       "all": true
    *     }
    * @example {
    *       "all": false,
    *       "nodes": [
    *         "compress"
    *       ]
    *     }
    * @example {
    *       "all": false,
    *       "nodes": [
    *         "inner"
    *       ],
    *       "sub_recipes": {
    *         "inner": {
    *           "all": true
    *         }
    *       }
    *     }
    */
    ForcedNodes: {
      /** @description Every node, also those inside sub-recipes. */
      all: boolean;
      /** @description Names of nodes. */
      nodes?: string[] | null;
      /** @description What is forced inside, by the names of recipe nodes. */
      sub_recipes?: {
        [key: string]: components["schemas"]["ForcedNodes"];
      } | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    FoundObjects: {
      /** @description Those with the id first; then by kind. */
      results: {
        id: number;
        /** @enum {string} */
        kind: "recipe_type" | "job_type" | "strike" | "scan" | "workspace" | "batch" | "dataset" | "node" | "job" | "recipe" | "file" | "ingest";
        name: string | null;
        /** @description Its title; for jobs and recipes that of their type; for files and nodes the name. */
        title: string;
        version: string | null;
      }[];
    };
    /** An input of the node that is an output of another */
    FromNode: {
      /** @description The node that makes it: a dependency, or one of its dependencies. */
      node: string;
      /** @description The name of its output. */
      output: string;
      /** @enum {string} */
      type: "dependency";
    };
    /** An input of the node that is one of the recipe */
    FromRecipe: {
      /** @description The name of the input of the recipe. */
      input: string;
      /** @enum {string} */
      type: "recipe";
    };
    /** A directory of the nodes */
    HostBroker: {
      /** @description An absolute path on the nodes, not `/`, without `..`. */
      host_path: string;
      /** @enum {string} */
      type: "host";
    };
    IdRef: {
      id: number;
    };
    Ingest: {
      bytes_transferred: number;
      /** Format: date-time */
      created: string;
      data_ended: string | null;
      data_started: string | null;
      data_type_tags: string[];
      file_name: string;
      /** @description Relative to its workspace. */
      file_path: string;
      /** @description Bytes. */
      file_size: number;
      id: number;
      ingest_ended: string | null;
      ingest_started: string | null;
      job: components["schemas"]["IdRef"] | null;
      /** Format: date-time */
      last_modified: string;
      media_type: string;
      new_file_path: string | null;
      new_workspace: components["schemas"]["WorkspaceSummary"] | null;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      reason: string | null;
      scan: {
        description: string;
        dry_run_job: components["schemas"]["IdRef"];
        id: number;
        job: components["schemas"]["IdRef"];
        name: string;
        title: string;
      } | null;
      source_file: components["schemas"]["SourceFile"] | null;
      /** @enum {string} */
      status: "TRANSFERRING" | "TRANSFERRED" | "DEFERRED" | "INGESTING" | "INGESTED" | "ERRORED" | "DUPLICATE";
      strike: {
        description: string;
        id: number;
        job: components["schemas"]["IdRef"];
        name: string;
        title: string;
      } | null;
      transfer_ended: string | null;
      transfer_started: string | null;
      workspace: components["schemas"]["WorkspaceSummary"];
    };
    IngestDetails: {
      bytes_transferred: number;
      /** Format: date-time */
      created: string;
      data_ended: string | null;
      data_started: string | null;
      data_type_tags: string[];
      file_name: string;
      /** @description Relative to its workspace. */
      file_path: string;
      /** @description Bytes. */
      file_size: number;
      id: number;
      ingest_ended: string | null;
      ingest_started: string | null;
      job: components["schemas"]["IdRef"] | null;
      /** Format: date-time */
      last_modified: string;
      media_type: string;
      new_file_path: string | null;
      new_workspace: components["schemas"]["WorkspaceWithSettings"] | null;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      reason: string | null;
      scan: {
        configuration: components["schemas"]["ScanConfiguration"];
        description: string;
        dry_run_job: components["schemas"]["IdRef"];
        id: number;
        job: components["schemas"]["IdRef"];
        name: string;
        title: string;
      } | null;
      source_file: components["schemas"]["SourceFile"] | null;
      /** @enum {string} */
      status: "TRANSFERRING" | "TRANSFERRED" | "DEFERRED" | "INGESTING" | "INGESTED" | "ERRORED" | "DUPLICATE";
      strike: {
        /** @description Secrets are masked. */
        configuration: components["schemas"]["StrikeConfiguration"];
        description: string;
        id: number;
        job: components["schemas"]["IdRef"];
        name: string;
        title: string;
      } | null;
      transfer_ended: string | null;
      transfer_started: string | null;
      workspace: components["schemas"]["WorkspaceWithSettings"];
    };
    IngestPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Ingest"][];
    };
    IngestStatus: {
      files: number;
      most_recent: string | null;
      /** @description Bytes of all files. */
      size: number;
      strike: {
        /** Format: date-time */
        created: string;
        description: string;
        id: number;
        is_paused: boolean;
        job: {
          error: components["schemas"]["RegisteredError"] | null;
          event: components["schemas"]["IdRef"];
          id: number;
          job_type: components["schemas"]["JobTypeSummary"];
          num_exes: number;
          priority: number;
          /** @enum {string} */
          status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
        };
        /** Format: date-time */
        last_modified: string;
        name: string;
        title: string;
      };
      /** @description One entry for each hour of the range, the oldest first. */
      values: {
        files: number;
        /** @description Bytes. */
        size: number;
        /**
        * Format: date-time
        * @description The beginning of the hour.
        */
        time: string;
      }[];
    };
    IngestStatusPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["IngestStatus"][];
    };
    /**
    * Parameters: the files and JSON values that something takes
    * @example {
    *       "files": [
    *         {
    *           "name": "TEXT"
    *         }
    *       ]
    *     }
    * @example {
    *       "files": [
    *         {
    *           "name": "IMAGES",
    *           "media_types": [
    *             "image/tiff"
    *           ],
    *           "multiple": true
    *         }
    *       ],
    *       "json": [
    *         {
    *           "name": "THRESHOLD",
    *           "type": "number",
    *           "required": false
    *         }
    *       ]
    *     }
    */
    Interface: {
      /** @description Files. */
      files?: {
        /** @description What it takes; none: any. */
        media_types?: string[] | null;
        /** @description Takes several files. Default: false. */
        multiple?: boolean | null;
        /** @description Letters, underscores and hyphens. */
        name: string;
        /** @description Default: true. */
        required?: boolean | null;
      }[] | null;
      /** @description JSON values. A name is used once, in `files` or in `json`. */
      json?: {
        /** @description Letters, underscores and hyphens. */
        name: string;
        /** @description Default: true. */
        required?: boolean | null;
        /** @enum {string} */
        type: "array" | "boolean" | "integer" | "number" | "object" | "string";
      }[] | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    Job: {
      batch: components["schemas"]["BatchSummary"] | null;
      /** Format: date-time */
      created: string;
      ended: string | null;
      error: components["schemas"]["RegisteredError"] | null;
      event: components["schemas"]["Event"];
      id: number;
      input_file_size: number | null;
      /** @description Names of files by input. */
      input_files: {
        [key: string]: string[];
      };
      is_superseded: boolean;
      job_type: components["schemas"]["JobTypeSummary"];
      job_type_rev: {
        id: number;
        job_type: components["schemas"]["IdRef"];
        revision_num: number;
      };
      /** Format: date-time */
      last_modified: string;
      /** Format: date-time */
      last_status_change: string;
      node: components["schemas"]["NodeSummary"] | null;
      num_exes: number;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      queued: string | null;
      reason: string | null;
      recipe: components["schemas"]["RecipeSummary"] | null;
      source_collection: string | null;
      source_ended: string | null;
      source_sensor: string | null;
      source_sensor_class: string | null;
      source_started: string | null;
      source_task: string | null;
      started: string | null;
      /** @enum {string} */
      status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      superseded: string | null;
      superseded_job: components["schemas"]["IdRef"] | null;
    };
    JobCancel: {
      /** @description Batches of the recipes that contain the jobs now. A recipe that superseded another may have taken over its jobs. */
      batch_ids?: number[];
      /** @description End of the range, in the same two forms. */
      ended?: string;
      /** @description Categories of errors. */
      error_categories?: ("SYSTEM" | "DATA" | "ALGORITHM")[];
      /** @description Errors. */
      error_ids?: number[];
      is_superseded?: boolean;
      /** @description Jobs. */
      job_ids?: number[];
      /** @description Job types. */
      job_type_ids?: number[];
      /** @description Names of job types, whatever their version. */
      job_type_names?: string[];
      /** @description Job types by name and version, added to `job_type_ids`. */
      job_types?: {
        name: string;
        version: string;
      }[];
      /** @description Recipes that contain the job directly. A job that was taken over counts only in the later recipe. */
      recipe_ids?: number[];
      /** @description Compared with `last_modified`: an ISO-8601 instant, or a duration before now. */
      started?: string;
      /** @enum {string} */
      status?: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
    };
    /**
    * How jobs run: where outputs go, mounts, settings, priority
    * @example {
    *       "output_workspaces": {
    *         "default": "products"
    *       },
    *       "priority": 50
    *     }
    * @example {
    *       "mounts": {
    *         "models": {
    *           "type": "host",
    *           "host_path": "/data/models"
    *         }
    *       },
    *       "output_workspaces": {
    *         "default": "products",
    *         "outputs": {
    *           "COMPRESSED": "arrivals"
    *         }
    *       },
    *       "priority": 10,
    *       "settings": {
    *         "LEVEL": "9"
    *       }
    *     }
    */
    JobConfiguration: {
      /** @description MiB of each output stream that are kept. Default: 16. */
      log_limit?: number | null;
      /** @description By the names of mounts of the manifest. */
      mounts?: {
        [key: string]: {
          /** @description An absolute path on the node, not `/`, without `..`. */
          host_path: string;
          /** @enum {string} */
          type: "host";
        } | {
          /** @description The volume driver; empty: the default one. */
          driver?: string | null;
          /** @description Options of the driver. */
          driver_opts?: {
            [key: string]: string;
          } | null;
          /** @enum {string} */
          type: "volume";
        };
      } | null;
      /** @description Names of workspaces. Every output file needs one, its own or the default. */
      output_workspaces?: {
        /** @description Where outputs without an entry of their own go. */
        default?: string | null;
        /** @description Names of workspaces by the names of outputs. */
        outputs?: {
          [key: string]: string;
        } | null;
      } | null;
      /** @description From 1; smaller numbers run first. Default: 100. */
      priority?: number | null;
      /** @description `long`: products go to a directory of their execution. `own`: they keep their paths inside the output directory; a path that is not free fails the job. Default: `long`. */
      product_path?: ("long" | "own") | null;
      /** @description Values by the names of settings of the manifest. */
      settings?: {
        [key: string]: string;
      } | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    /**
    * @example {
    *       "job_type_id": 12,
    *       "input": {
    *         "files": {
    *           "TEXT": [
    *             7
    *           ]
    *         },
    *         "json": {}
    *       }
    *     }
    */
    JobCreate: {
      /** @description Sections that replace those of its type. */
      configuration?: components["schemas"]["JobConfiguration"];
      /** @description Values for its inputs. */
      input: components["schemas"]["DataValues"];
      /** @description The job has its newest revision. */
      job_type_id: number;
    };
    JobDetails: {
      /** @description What the calls of these names would change of it now. */
      actions: ("requeue" | "cancel")[];
      batch: components["schemas"]["BatchSummary"] | null;
      /** @description What it runs with, without secrets. */
      configuration: components["schemas"]["JobConfiguration"];
      /** Format: date-time */
      created: string;
      ended: string | null;
      error: components["schemas"]["RegisteredError"] | null;
      event: components["schemas"]["Event"];
      execution: components["schemas"]["JobExecutionDetails"] | null;
      id: number;
      input: components["schemas"]["Data"];
      input_file_size: number | null;
      /** @description Names of files by input. */
      input_files: {
        [key: string]: string[];
      };
      is_superseded: boolean;
      job_type: components["schemas"]["JobTypeSummary"];
      job_type_rev: {
        container_image: string;
        /** Format: date-time */
        created: string;
        id: number;
        job_type: components["schemas"]["IdRef"];
        manifest: components["schemas"]["StoredManifest"];
        revision_num: number;
      };
      /** Format: date-time */
      last_modified: string;
      /** Format: date-time */
      last_status_change: string;
      max_tries: number;
      node: components["schemas"]["NodeSummary"] | null;
      num_exes: number;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      output: components["schemas"]["Data"];
      queued: string | null;
      reason: string | null;
      recipe: components["schemas"]["RecipeSummary"] | null;
      resources: {
        /** @description By name: cpus, mem and disk (MiB), gpus, … */
        resources: {
          [key: string]: number;
        };
      };
      source_collection: string | null;
      source_ended: string | null;
      source_sensor: string | null;
      source_sensor_class: string | null;
      source_started: string | null;
      source_task: string | null;
      started: string | null;
      /** @enum {string} */
      status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      superseded: string | null;
      superseded_by_job: {
        id: number;
        job_type: components["schemas"]["JobTypeSummary"];
        /** @enum {string} */
        status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      } | null;
      superseded_job: {
        id: number;
        job_type: components["schemas"]["JobTypeSummary"];
        /** @enum {string} */
        status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      } | null;
      /** @description Seconds of the main task; 0 = none. */
      timeout: number;
    };
    JobExecution: {
      /** @description The name of the execution in the cluster. */
      cluster_id: string;
      /** Format: date-time */
      created: string;
      ended: string | null;
      error: components["schemas"]["RegisteredError"] | null;
      exe_num: number;
      id: number;
      image_digest: string | null;
      input_file_size: number | null;
      job: components["schemas"]["IdRef"];
      job_type: components["schemas"]["JobTypeSummary"];
      /** Format: date-time */
      last_modified: string;
      log_cut: {
        stderr: number;
        stdout: number;
      } | null;
      node: components["schemas"]["NodeSummary"] | null;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      /** Format: date-time */
      queued: string;
      reason: string | null;
      /** Format: date-time */
      started: string;
      /** @enum {string} */
      status: "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED";
      /** @description Seconds of the main task; 0 = none. */
      timeout: number;
      used: {
        disk_bytes: number | null;
        memory_bytes: number | null;
        processor_seconds: number | null;
        read_bytes: number | null;
        /** @enum {string} */
        source: "cgroup" | "rusage" | "engine";
        written_bytes: number | null;
      } | null;
    };
    JobExecutionDetails: {
      /** @description The name of the execution in the cluster. */
      cluster_id: string;
      configuration: components["schemas"]["ExecutionConfiguration"];
      /** Format: date-time */
      created: string;
      ended: string | null;
      error: components["schemas"]["RegisteredError"] | null;
      exe_num: number;
      id: number;
      image_digest: string | null;
      input_file_size: number | null;
      job: components["schemas"]["IdRef"];
      job_type: components["schemas"]["JobTypeSummary"];
      /** Format: date-time */
      last_modified: string;
      log_cut: {
        stderr: number;
        stdout: number;
      } | null;
      node: components["schemas"]["NodeSummary"] | null;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      output: {
        /** @description Ids of files by output. */
        files: Record<string, never>;
        /** @description JSON values by output. */
        json: Record<string, never>;
        output_data: {
          file_id: number;
          name: string;
        }[];
      };
      /** Format: date-time */
      queued: string;
      reason: string | null;
      resources: {
        /** @description Amounts that it holds, by name. */
        resources: Record<string, never>;
      };
      /** Format: date-time */
      started: string;
      /** @enum {string} */
      status: "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED";
      task_results: Record<string, never> | null;
      /** @description Seconds of the main task; 0 = none. */
      timeout: number;
      used: {
        disk_bytes: number | null;
        memory_bytes: number | null;
        processor_seconds: number | null;
        read_bytes: number | null;
        /** @enum {string} */
        source: "cgroup" | "rusage" | "engine";
        written_bytes: number | null;
      } | null;
    };
    JobExecutionPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["JobExecution"][];
    };
    /** A node that runs a job */
    JobNode: {
      /** @description The name in the manifest. */
      job_type_name: string;
      /** @description Default: the newest. */
      job_type_revision?: (number | string) | null;
      /** @description The `jobVersion` in the manifest. */
      job_type_version: string;
      /** @enum {string} */
      node_type: "job";
    };
    JobPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Job"][];
    };
    JobRequestPreview: {
      /** @description There are more: at most 100,000 are counted. */
      is_cut: boolean;
      /** @description Jobs that would be changed, as they are now. */
      job_count: number;
      /** @description The 100 highest. */
      job_ids: number[];
      /** @description Those with the most jobs, 100 at most. */
      job_types: {
        id: number;
        job_count: number;
        name: string;
        version: string;
      }[];
      statuses: {
        job_count: number;
        /** @enum {string} */
        status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      }[];
    };
    JobRequeue: {
      /** @description Batches of the recipes that contain the jobs now. A recipe that superseded another may have taken over its jobs. */
      batch_ids?: number[];
      /** @description End of the range, in the same two forms. */
      ended?: string;
      /** @description Categories of errors. */
      error_categories?: ("SYSTEM" | "DATA" | "ALGORITHM")[];
      /** @description Errors. */
      error_ids?: number[];
      is_superseded?: boolean;
      /** @description Jobs. */
      job_ids?: number[];
      /** @description Job types. */
      job_type_ids?: number[];
      /** @description Names of job types, whatever their version. */
      job_type_names?: string[];
      /** @description Job types by name and version, added to `job_type_ids`. */
      job_types?: {
        name: string;
        version: string;
      }[];
      /** @description Their priority in the queue; as configured when it is absent. */
      priority?: number;
      /** @description Recipes that contain the job directly. A job that was taken over counts only in the later recipe. */
      recipe_ids?: number[];
      /**
      * @description Jobs take the newest revision of their job type; absent: they keep theirs.
      * @enum {string}
      */
      revision?: "newest";
      /** @description Compared with `last_modified`: an ISO-8601 instant, or a duration before now. */
      started?: string;
      /** @enum {string} */
      status?: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
    };
    JobType: {
      container_image: string;
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      icon_code: string | null;
      id: number;
      /** @description False when deprecated. */
      is_active: boolean;
      /** @description No jobs of the type are scheduled. */
      is_paused: boolean;
      is_published: boolean;
      is_system: boolean;
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      max_scheduled: number | null;
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      paused: string | null;
      revision_num: number;
      title: string;
      unmet_resources: string | null;
      version: string;
    };
    /**
    * @example {
    *       "container_image": "process:default",
    *       "manifest": {
    *         "seedVersion": "1.0.0",
    *         "job": {
    *           "name": "count-words",
    *           "jobVersion": "1.0.0",
    *           "packageVersion": "1.0.0",
    *           "title": "Count words",
    *           "description": "Count words",
    *           "maintainer": {
    *             "name": "You",
    *             "email": "you@example.com"
    *           },
    *           "timeout": 60,
    *           "interface": {
    *             "command": "sh -c 'printf \"{\\\"WORDS\\\": %d}\" $(wc -w <\"$1\") >\"$2/seed.outputs.json\"' job ${TEXT} ${OUTPUT_DIR}",
    *             "inputs": {
    *               "files": [
    *                 {
    *                   "name": "TEXT"
    *                 }
    *               ]
    *             },
    *             "outputs": {
    *               "json": [
    *                 {
    *                   "name": "WORDS",
    *                   "type": "integer"
    *                 }
    *               ]
    *             }
    *           },
    *           "resources": {
    *             "scalar": [
    *               {
    *                 "name": "cpus",
    *                 "value": 0.5
    *               },
    *               {
    *                 "name": "mem",
    *                 "value": 64
    *               }
    *             ]
    *           }
    *         }
    *       }
    *     }
    * @example {
    *       "container_image": "process:default",
    *       "manifest": {
    *         "seedVersion": "1.0.0",
    *         "job": {
    *           "name": "compress",
    *           "jobVersion": "1.0.0",
    *           "packageVersion": "1.0.0",
    *           "title": "Compress",
    *           "description": "Compress",
    *           "maintainer": {
    *             "name": "You",
    *             "email": "you@example.com"
    *           },
    *           "timeout": 60,
    *           "interface": {
    *             "command": "sh -c 'gzip -n -c \"$1\" >\"$2/$(basename \"$1\").gz\"' job ${FILE} ${OUTPUT_DIR}",
    *             "inputs": {
    *               "files": [
    *                 {
    *                   "name": "FILE"
    *                 }
    *               ]
    *             },
    *             "outputs": {
    *               "files": [
    *                 {
    *                   "name": "COMPRESSED",
    *                   "pattern": "*.gz",
    *                   "mediaType": "application/gzip"
    *                 }
    *               ]
    *             }
    *           },
    *           "resources": {
    *             "scalar": [
    *               {
    *                 "name": "cpus",
    *                 "value": 0.5
    *               },
    *               {
    *                 "name": "mem",
    *                 "value": 64
    *               }
    *             ]
    *           }
    *         }
    *       },
    *       "configuration": {
    *         "output_workspaces": {
    *           "default": "products"
    *         }
    *       }
    *     }
    * @example {
    *       "container_image": "process:default",
    *       "manifest": {
    *         "seedVersion": "1.0.0",
    *         "job": {
    *           "name": "checksum",
    *           "jobVersion": "1.0.0",
    *           "packageVersion": "1.0.0",
    *           "title": "Checksum",
    *           "description": "Checksum",
    *           "maintainer": {
    *             "name": "You",
    *             "email": "you@example.com"
    *           },
    *           "timeout": 60,
    *           "interface": {
    *             "command": "sh -c 'sha256sum <\"$1\" >\"$2/$(basename \"$1\").sha256\"' job ${FILE} ${OUTPUT_DIR}",
    *             "inputs": {
    *               "files": [
    *                 {
    *                   "name": "FILE"
    *                 }
    *               ]
    *             },
    *             "outputs": {
    *               "files": [
    *                 {
    *                   "name": "CHECKSUM",
    *                   "pattern": "*.sha256",
    *                   "mediaType": "text/plain"
    *                 }
    *               ]
    *             }
    *           },
    *           "resources": {
    *             "scalar": [
    *               {
    *                 "name": "cpus",
    *                 "value": 0.5
    *               },
    *               {
    *                 "name": "mem",
    *                 "value": 64
    *               }
    *             ]
    *           }
    *         }
    *       },
    *       "configuration": {
    *         "output_workspaces": {
    *           "default": "products"
    *         }
    *       }
    *     }
    */
    JobTypeCreate: {
      /** @description Whether recipe types take over a new revision. Default: true. */
      auto_update?: boolean;
      /** @description Where products go, settings, mounts, priority. */
      configuration?: components["schemas"]["JobConfiguration"];
      /** @description As `registry.example/team/tool:1.0`; or `process:default`: the command runs as a plain process of a node. */
      container_image: string;
      icon_code?: string | null;
      /** @description Only in an edit: false deprecates. */
      is_active?: boolean;
      /** @description Only in an edit. */
      is_paused?: boolean;
      is_published?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description What it is, takes and makes. */
      manifest: components["schemas"]["SeedManifest"];
      max_scheduled?: number | null;
      /** @description The most executions of a job; 3 if not given. */
      max_tries?: number;
      /** @description Without effect: the name is in the manifest. */
      name?: string;
    };
    JobTypeDetails: {
      /** @description Without secret settings. */
      configuration: components["schemas"]["JobConfiguration"];
      container_image: string;
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      icon_code: string | null;
      id: number;
      /** @description False when deprecated. */
      is_active: boolean;
      /** @description No jobs of the type are scheduled. */
      is_paused: boolean;
      is_published: boolean;
      is_system: boolean;
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description With all defaults. */
      manifest: components["schemas"]["StoredManifest"];
      max_scheduled: number | null;
      /** @description The most executions of a job, the first included. */
      max_tries: number;
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      paused: string | null;
      recipe_types: components["schemas"]["RecipeTypeHead"][];
      revision_num: number;
      title: string;
      unmet_resources: string | null;
      version: string;
    };
    JobTypeEdit: {
      /** @description Whether recipe types take over a new revision. Default: true. */
      auto_update?: boolean;
      /** @description Where products go, settings, mounts, priority. */
      configuration?: components["schemas"]["JobConfiguration"];
      /** @description As `registry.example/team/tool:1.0`; or `process:default`: the command runs as a plain process of a node. */
      container_image?: string;
      icon_code?: string | null;
      /** @description Only in an edit: false deprecates. */
      is_active?: boolean;
      /** @description Only in an edit. */
      is_paused?: boolean;
      is_published?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description Makes a revision. */
      manifest?: components["schemas"]["SeedManifest"];
      max_scheduled?: number | null;
      /** @description The most executions of a job; 3 if not given. */
      max_tries?: number;
    };
    JobTypeName: {
      description: string;
      icon_code: string | null;
      is_published: boolean;
      latest_version: string;
      name: string;
      title: string;
      /** @description Newest first. */
      versions: string[];
    };
    JobTypeNamePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["JobTypeName"][];
    };
    JobTypePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["JobType"][];
    };
    JobTypeRevision: {
      container_image: string;
      /** Format: date-time */
      created: string;
      id: number;
      job_type: components["schemas"]["JobTypeSummary"];
      revision_num: number;
    };
    JobTypeRevisionDetails: {
      container_image: string;
      /** Format: date-time */
      created: string;
      id: number;
      job_type: components["schemas"]["JobTypeSummary"];
      manifest: components["schemas"]["StoredManifest"];
      revision_num: number;
    };
    JobTypeRevisionPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["JobTypeRevision"][];
    };
    JobTypeStatus: {
      job_counts: {
        category: ("SYSTEM" | "DATA" | "ALGORITHM") | null;
        count: number;
        /** Format: date-time */
        most_recent: string;
        /** @enum {string} */
        status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      }[];
      job_type: components["schemas"]["JobTypeSummary"];
    };
    JobTypeStatusPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["JobTypeStatus"][];
    };
    JobTypeSummary: {
      description: string;
      icon_code: string | null;
      id: number;
      is_active: boolean;
      is_paused: boolean;
      is_published: boolean;
      is_system: boolean;
      name: string;
      title: string;
      unmet_resources: string | null;
      version: string;
    };
    JobTypeTimeline: {
      job_type_id: number;
      name: string;
      /** @description Days with starts, the oldest first. */
      results: {
        count: number;
        /**
        * Format: date-time
        * @description The day: its midnight, UTC.
        */
        date: string;
      }[];
      /** @description The newest revision; jobs of all are counted. */
      revision_num: number;
      title: string;
      version: string;
    };
    /**
    * @example {
    *       "container_image": "process:default",
    *       "manifest": {
    *         "seedVersion": "1.0.0",
    *         "job": {
    *           "name": "count-words",
    *           "jobVersion": "1.0.0",
    *           "packageVersion": "1.0.0",
    *           "title": "Count words",
    *           "description": "Count words",
    *           "maintainer": {
    *             "name": "You",
    *             "email": "you@example.com"
    *           },
    *           "timeout": 60,
    *           "interface": {
    *             "command": "sh -c 'printf \"{\\\"WORDS\\\": %d}\" $(wc -w <\"$1\") >\"$2/seed.outputs.json\"' job ${TEXT} ${OUTPUT_DIR}",
    *             "inputs": {
    *               "files": [
    *                 {
    *                   "name": "TEXT"
    *                 }
    *               ]
    *             },
    *             "outputs": {
    *               "json": [
    *                 {
    *                   "name": "WORDS",
    *                   "type": "integer"
    *                 }
    *               ]
    *             }
    *           },
    *           "resources": {
    *             "scalar": [
    *               {
    *                 "name": "cpus",
    *                 "value": 0.5
    *               },
    *               {
    *                 "name": "mem",
    *                 "value": 64
    *               }
    *             ]
    *           }
    *         }
    *       },
    *       "input": {
    *         "files": {
    *           "TEXT": [
    *             7
    *           ]
    *         },
    *         "json": {}
    *       }
    *     }
    */
    JobTypeTry: {
      /** @description Where products go, settings, mounts, priority. */
      configuration?: components["schemas"]["JobConfiguration"];
      /** @description As `registry.example/team/tool:1.0`; or `process:default`: the command runs as a plain process of a node. */
      container_image: string;
      /** @description Values for its inputs, as a job has them. */
      input: components["schemas"]["DataValues"];
      /** @description What is tried, as a job type has it. */
      manifest: components["schemas"]["SeedManifest"];
    };
    JobTypeUsed: {
      executions: number;
      figures: {
        cpus: components["schemas"]["UsedFigure"] | null;
        disk_bytes: components["schemas"]["UsedFigure"] | null;
        memory_bytes: components["schemas"]["UsedFigure"] | null;
        processor_seconds: components["schemas"]["UsedFigure"] | null;
        read_bytes: components["schemas"]["UsedFigure"] | null;
        seconds: components["schemas"]["UsedFigure"] | null;
        written_bytes: components["schemas"]["UsedFigure"] | null;
      };
      job_type: components["schemas"]["JobTypeSummary"];
      newest: string | null;
      oldest: string | null;
    };
    JobTypeValidation: {
      /** @description Whether recipe types take over a new revision. Default: true. */
      auto_update?: boolean;
      /** @description Where products go, settings, mounts, priority. */
      configuration?: components["schemas"]["JobConfiguration"];
      /** @description As `registry.example/team/tool:1.0`; or `process:default`: the command runs as a plain process of a node. */
      container_image?: string;
      icon_code?: string | null;
      /** @description Only in an edit: false deprecates. */
      is_active?: boolean;
      /** @description Only in an edit. */
      is_paused?: boolean;
      is_published?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description What it is, takes and makes. */
      manifest: components["schemas"]["SeedManifest"];
      max_scheduled?: number | null;
      /** @description The most executions of a job; 3 if not given. */
      max_tries?: number;
      /** @description Without effect: the name is in the manifest. */
      name?: string;
    };
    JobTypeValidationResult: {
      effects?: {
        /** @description What recipe types would do about the new revision, unless `auto_update` is false. */
        recipe_types: components["schemas"]["FollowingTypes"];
        /** @description The revision that it would have; the present one if nothing changes. */
        revision_num: number;
      } | null;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      errors: components["schemas"]["Problem"][];
      /** @description True: the same fields would be accepted by the create or edit call. */
      is_valid: boolean;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      warnings: components["schemas"]["Problem"][];
    };
    /**
    * @example {
    *       "id": 12,
    *       "status": "QUEUED",
    *       "causes": [
    *         {
    *           "name": "nodes-busy",
    *           "reason": "every node that could run it is busy: host-1 has 512 MiB free, and it asks for 4 GiB of memory",
    *           "since": null,
    *           "amounts": [
    *             {
    *               "name": "mem",
    *               "wanted": 4096,
    *               "there": 512,
    *               "node": "host-1"
    *             }
    *           ],
    *           "subjects": [
    *             {
    *               "kind": "node",
    *               "id": 1,
    *               "name": "host-1"
    *             }
    *           ],
    *           "help": "Wait until jobs end there, cancel some, or add a node.",
    *           "action": null
    *         }
    *       ]
    *     }
    */
    JobWhy: {
      /** @description The cause that decides comes first. Empty: nothing is left to do. */
      causes: components["schemas"]["Cause"][];
      id: number;
      /** @enum {string} */
      status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
    };
    Lineage: {
      depth: number;
      /** @enum {string} */
      direction: "ancestors" | "descendants" | "both";
      file: components["schemas"]["IdRef"];
      /** @description Includes the file itself. */
      files: components["schemas"]["LineageFile"][];
      jobs: components["schemas"]["LineageJob"][];
      links: {
        file: components["schemas"]["IdRef"];
        job: components["schemas"]["IdRef"];
        name: string | null;
        /**
        * @description What the file is to the job.
        * @enum {string}
        */
        role: "input" | "output";
      }[];
      /** @description Where the graph continues beyond this answer. */
      rim: {
        /** @enum {string} */
        direction: "ancestors" | "descendants";
        file: components["schemas"]["IdRef"] | null;
        job: components["schemas"]["IdRef"] | null;
        /** @description The call that continues there. */
        next: string;
      }[];
    };
    LineageFile: {
      file_name: string;
      file_path: string;
      file_size: number;
      /** @enum {string} */
      file_type: "SOURCE" | "PRODUCT";
      id: number;
      is_deleted: boolean;
      is_superseded: boolean;
      /** @description Steps from the file; negative for what it was made from. */
      level: number;
      media_type: string;
      workspace: {
        id: number;
        name: string;
      };
    };
    LineageJob: {
      batch: components["schemas"]["IdRef"] | null;
      execution: components["schemas"]["IdRef"] | null;
      id: number;
      image: {
        digest: string | null;
        reference: string;
      };
      job_type: {
        id: number;
        name: string;
        version: string;
      };
      /** @description Steps from the file; negative for what it was made from. */
      level: number;
      recipe: components["schemas"]["IdRef"] | null;
      recipe_node: string | null;
      /** @description The revision of the job type that ran last. */
      revision_num: number;
      /** @description Those of its last execution; secrets are shown as `*****`. */
      settings: {
        [key: string]: string | null;
      };
      /** @description One of PENDING, BLOCKED, QUEUED, RUNNING, FAILED, COMPLETED, CANCELED. */
      status: string;
    };
    ListedDatasetMember: {
      /** Format: date-time */
      created: string;
      data: components["schemas"]["Data"];
      file_ids: number[];
      /** @description Its first 20 files with their names. */
      first_files: {
        file_name: string;
        id: number;
      }[];
      id: number;
    };
    ListedDatasetMemberPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ListedDatasetMember"][];
    };
    LoadItem: {
      pending_count: number;
      queued_count: number;
      running_count: number;
      /**
      * Format: date-time
      * @description When the jobs were counted.
      */
      time: string;
    };
    LoadItemPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["LoadItem"][];
    };
    LoggedIn: {
      account_id: number;
      username: string;
    };
    Login: {
      password: string;
      username: string;
    };
    LoginCodeCreate: {
      /** @description How long the token is valid. Default: 30. */
      days?: number;
      /**
      * @description What the token may be used for; never more than its account may.
      * @default write
      * @enum {string}
      */
      scope: "read" | "write" | "admin";
    };
    LoginCodeDecision: {
      is_approved: boolean;
      /** @description Eight letters; case, blanks and hyphens do not matter. */
      user_code: string;
    };
    LoginCodeLookup: {
      /** @description Eight letters; case, blanks and hyphens do not matter. */
      user_code: string;
    };
    LoginCodePoll: {
      device_code: string;
    };
    LoginCodeRequest: {
      /** @description From where the login was begun. */
      address: string;
      /** Format: date-time */
      created: string;
      days: number;
      /**
      * Format: date-time
      * @description Of the code.
      */
      expires: string;
      /**
      * @description What the token may be used for; never more than its account may.
      * @enum {string}
      */
      scope: "read" | "write" | "admin";
    };
    LogLines: {
      hits: {
        hits: {
          _source: {
            /**
            * Format: date-time
            * @description When it arrived.
            */
            "@timestamp": string;
            /** @description A line. */
            message: string;
            /** @description The id of the execution. */
            scale_job_exe: string;
            /** @description Its place. */
            scale_order_num: number;
            /** @enum {string} */
            stream: "stdout" | "stderr";
          };
        }[];
        total: number;
      };
    };
    MetricsColumn: {
      /**
      * @description How values of several choices are combined.
      * @enum {string}
      */
      aggregate: "sum" | "min" | "max" | "avg";
      description: string;
      /** @description Name of its group. */
      group: string;
      name: string;
      title: string;
      /** @enum {string} */
      units: "count" | "seconds" | "bytes";
    };
    MetricsPlotSeries: {
      column: components["schemas"]["MetricsColumn"];
      max_x: string | null;
      max_y: number | null;
      min_x: string | null;
      min_y: number | null;
      /** @description The oldest first. */
      values: {
        /**
        * @description The beginning of an hour, UTC, without a zone.
        * @example 2026-01-31T14:00:00
        */
        datetime: string;
        /** @description The choice; absent unless there are several in the query. */
        id?: number;
        value: number;
      }[];
    };
    MetricsPlotSeriesPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MetricsPlotSeries"][];
    };
    MetricsType: {
      columns: components["schemas"]["MetricsColumn"][];
      description: string;
      /** @description Fields of the choices by which a client may narrow them down. They are not parameters of any call. */
      filters: {
        param: string;
        type: string;
      }[];
      groups: {
        description: string;
        name: string;
        title: string;
      }[];
      name: string;
      title: string;
    };
    MetricsTypeDetails: {
      /** @description What the figures can be restricted to, by id. */
      choices: Record<string, never>[];
      columns: components["schemas"]["MetricsColumn"][];
      description: string;
      /** @description Fields of the choices by which a client may narrow them down. They are not parameters of any call. */
      filters: {
        param: string;
        type: string;
      }[];
      groups: {
        description: string;
        name: string;
        title: string;
      }[];
      name: string;
      title: string;
    };
    MetricsTypePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MetricsType"][];
    };
    /**
    * @example {
    *       "names": [
    *         "report.json",
    *         "report.json_tmp",
    *         "photo.jpg"
    *       ]
    *     }
    */
    NamesTest: {
      /** @description Paths in the workspace. May be empty: then only `causes` says something. */
      names: string[];
    };
    NewAccessToken: {
      account: {
        id: number;
        username: string;
      };
      /** Format: date-time */
      created: string;
      expires: string | null;
      id: number;
      /** @description True: neither expired nor revoked, and its account is active. */
      is_active: boolean;
      last_used: string | null;
      name: string;
      revoked: string | null;
      /**
      * @description `read`: read and validate; `write`: also change things, if the account may; `admin`: also tokens, accounts and the audit.
      * @enum {string}
      */
      scope: "read" | "write" | "admin";
      /** @description Shown in this answer only. */
      token: string;
    };
    NewLoginCode: {
      /** @description The secret of the program, for its polls. */
      device_code: string;
      /** @description Seconds until both end. */
      expires_in: number;
      /** @description Seconds to wait between two polls. */
      interval: number;
      /** @description What the person types. */
      user_code: string;
      /** @description The page on which it is typed. */
      verification_uri: string;
    };
    /** A directory of an NFS server */
    NfsBroker: {
      /** @description As `server:/path`. */
      nfs_path: string;
      /** @enum {string} */
      type: "nfs";
    };
    Node: {
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      /** @description What its agent offered last: `process:PROFILE` runs images of that name, `docker` and `oci` containers. Empty before its first session. */
      executors: string[];
      hostname: string;
      id: number;
      /** @description It takes part in the cluster, as the administrator wants it. */
      is_active: boolean;
      /** @description It gets no new jobs; running jobs continue. */
      is_paused: boolean;
      /** Format: date-time */
      last_modified: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      pause_reason: string | null;
    };
    NodeEdit: {
      is_active?: boolean;
      /** @description False clears the reason. */
      is_paused?: boolean;
      pause_reason?: string | null;
    };
    NodePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Node"][];
    };
    NodeSummary: {
      hostname: string;
      id: number;
    };
    NodeUse: {
      /** @description cpus in cores; mem and disk in MiB; gpus in units. */
      capacity: {
        [key: string]: number;
      };
      /** @description Nodes that were connected and active. */
      node_count: number;
      running_count: number;
      /**
      * Format: date-time
      * @description When the minute began.
      */
      time: string;
      /** @description cpus in cores; mem and disk in MiB; gpus in units. */
      used: {
        [key: string]: number;
      };
    };
    NodeUsePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["NodeUse"][];
    };
    NotificationTaken: {
      /** @description New objects that it names. */
      objects: number;
      /** @description Why records cannot be used. */
      problems: string[];
      /** @description Records that name no new object. */
      skipped: number;
    };
    ObjectChange: {
      /** Format: date-time */
      at: string;
      /** @description The batch that it belongs to. */
      batch_id?: number;
      /** @description As `after`, it continues after this change. */
      cursor: string;
      /** @description The name of the error that it ended with. */
      error?: string;
      /** @description The file that it belongs to. */
      file_id?: number;
      from: string | null;
      /** @description The id of the object. */
      id: number;
      /** @description The ingest that started it. */
      ingest_id?: number;
      /** @description The job that it belongs to, or that made it. */
      job_id?: number;
      /** @description The type of its job. */
      job_type_id?: number;
      /** @enum {string} */
      kind: "file" | "ingest" | "job" | "execution" | "recipe" | "condition" | "batch" | "scan" | "strike" | "dataset" | "node" | "job_type" | "recipe_type" | "workspace" | "purge" | "scheduler" | "failure_note";
      /** @description The node on which it runs or ran. */
      node_id?: number;
      /** @description The number of changes of the object, this one included. */
      object_version: number;
      /** @description The recipe that it belongs to. */
      recipe_id?: number;
      /** @description The type of its recipe. */
      recipe_type_id?: number;
      /** @description The scan that it belongs to. */
      scan_id?: number;
      /** @description The strike that it belongs to. */
      strike_id?: number;
      to: string | null;
      /**
      * @description `status`: from `from` to `to`. `removed`: the record no longer exists.
      * @enum {string}
      */
      what: "created" | "status" | "edited" | "superseded" | "published" | "unpublished" | "deleted" | "removed";
      /** @description The workspace that it is in. */
      workspace_id?: number;
    };
    /** A bucket of an S3 store */
    ObjstoreBroker: {
      /** @description Of the bucket. */
      bucket_name: string;
      /** @description Absent or empty: the credentials of the host are used. Answers mask them; a mask that is sent back keeps them. */
      credentials?: {
        /** @description Both keys are given, or neither. */
        access_key_id?: string | null;
        /** @description Never shown again. */
        secret_access_key?: string | null;
      } | null;
      /** @description The URL of the store, if it is not the default one, such as `https://store.example:9000`. */
      endpoint?: string | null;
      /** @description A directory where all nodes have the bucket mounted. */
      host_path?: string | null;
      /** @description Whether buckets are addressed by the path instead of the host name. */
      path_style?: boolean | null;
      /** @description Of the store. */
      region_name?: string | null;
      /** @enum {string} */
      type: "objstore";
    };
    /** Watches a bucket */
    ObjstoreMonitor: {
      /** @description Absent or empty: the credentials of the host are used. Answers mask them; a mask that is sent back keeps them. */
      credentials?: {
        /** @description Both keys are given, or neither. */
        access_key_id?: string | null;
        /** @description Never shown again. */
        secret_access_key?: string | null;
      } | null;
      /** @description How often the bucket is listed as well. Default: 300000. */
      list_every_ms?: number | null;
      /** @description Where notifications come from: a subject of NATS, or a queue of SQS. */
      queue_name: string;
      /** @description Default: nats. */
      queue_type?: ("nats" | "sqs") | null;
      /** @description Of the queue. */
      region_name?: string | null;
      /** @enum {string} */
      type: "objstore";
    };
    Overview: {
      /** @description Ingests that are TRANSFERRING, of those that changed within a day. */
      arriving_count: number;
      /** @description Jobs that are FAILED, of those that changed within a day. */
      failed_count: number;
      /** @description Failures of the last day that are not marked as known, as in `/v6/failures/`. */
      failures: {
        /** @description All of them. */
        count: number;
        results: components["schemas"]["FailureGroup"][];
      };
      /** @description Active nodes that somebody has paused. */
      paused_nodes: {
        /** @description All of them. */
        count: number;
        results: components["schemas"]["Node"][];
      };
      /** @description Queued jobs by job type, as in `/v6/queue/status/`. */
      queue: {
        /** @description All of them. */
        count: number;
        results: components["schemas"]["QueueStatus"][];
      };
      queue_lengths: {
        /** @description Jobs. The jobs of a scan that nobody has started are not counted. */
        PENDING: number;
        /** @description Jobs. The jobs of a scan that nobody has started are not counted. */
        QUEUED: number;
        /** @description Jobs. The jobs of a scan that nobody has started are not counted. */
        RUNNING: number;
      };
      /** @description Strikes; those that changed last come first. */
      strikes: {
        /** @description All of them. */
        count: number;
        results: components["schemas"]["Strike"][];
      };
      /** @description Queued jobs that no node could run, as in `/v6/queue/classes/`. */
      unmet_classes: components["schemas"]["QueueClass"][];
      /** @description Active workspaces that no connected node reaches. */
      unreached_workspaces: {
        /** @description All of them. */
        count: number;
        results: components["schemas"]["UnreachedWorkspace"][];
      };
    };
    PasswordChange: {
      /** @description Required to change one's own password. */
      current_password?: string;
      password: string;
    };
    PendingJobType: {
      count: number;
      job_type: components["schemas"]["JobTypeSummary"];
      /** Format: date-time */
      longest_pending: string;
    };
    PendingJobTypePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["PendingJobType"][];
    };
    PreviousScanCounts: {
      ended: string | null;
      matched: number;
      /** @enum {string} */
      mode: "dry_run" | "ingest";
      unmatched: number;
    };
    Problem: {
      /** @description Only with `TOO_MANY_PROBLEMS`: how many problems are not listed. */
      count?: number;
      description: string;
      /** @description Stable name of what is wrong. */
      name: string;
      /** @description Where, such as `configuration.files_to_ingest[2].filename_regex`. */
      path: string;
    };
    ProcessJob: {
      id: number;
      job_type: components["schemas"]["JobTypeSummary"];
      status: string;
    };
    Profile: {
      email: string;
      first_name: string;
      id: number;
      is_staff: boolean;
      last_name: string;
      /**
      * @description What the token may be used for; a session has the widest scope.
      * @enum {string}
      */
      scope: "read" | "write" | "admin";
      username: string;
    };
    Purge: {
      completed: string | null;
      /** Format: date-time */
      created: string;
      delete_source_bytes: boolean;
      file_id: number;
      file_name: string;
      file_path: string;
      file_size: number;
      id: number;
      /** Format: date-time */
      last_modified: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      /** @enum {string} */
      phase: "find" | "stop" | "release" | "bytes" | "rows" | "done";
      /** @description Files that were not removed; the first 100. */
      problems: {
        description: string;
        name: string;
        path: string;
      }[];
      reason: string | null;
      /** @description Records that were removed, by kind. */
      removed: {
        [key: string]: number;
      };
      /** @enum {string} */
      status: "RUNNING" | "WAITING" | "COMPLETED";
      workspace: {
        id: number;
        name: string;
      };
      /** @description What became of files in workspaces. */
      workspaces: {
        bytes_removed: number;
        files_absent: number;
        files_failed: number;
        files_kept: number;
        files_removed: number;
        id: number;
        name: string;
      }[];
    };
    PurgePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Purge"][];
    };
    PurgePreview: {
      /** @description Batches of the recipes: the first 20. */
      batch_ids: number[];
      /** @description Datasets that have members with these files: the first 20. */
      dataset_ids: number[];
      files: {
        bytes: number;
        count: number;
        sources: number;
      };
      /** @description There is more: the search ends after about 100,000 records of a kind. */
      is_cut: boolean;
      /** @description `live`: those that would be canceled. */
      jobs: {
        count: number;
        live: number;
      };
      /** @description Source files that stay, but lose the products that were made from them and this one. */
      other_sources: {
        count: number;
        /** @description The first 20. */
        ids: number[];
      };
      recipes: number;
      workspaces: {
        bytes: number;
        files: number;
        id: number;
        name: string;
      }[];
    };
    PurgeSource: {
      /** @description Remove the source itself from its workspace as well; false when absent. */
      delete_source_bytes?: boolean;
      /** @description The id of a SOURCE file. */
      file_id: number;
    };
    QueueClass: {
      /** @description Queued jobs of the class. */
      count: number;
      /** @description What its image needs; nodes offer executors. */
      executor: string;
      /** @description The job that is served first: `/v6/jobs/{id}/why/` says what each node lacks for it. */
      first_job_id: number;
      /** @description The smallest number: the most urgent. */
      highest_priority: number;
      job_type: components["schemas"]["JobTypeSummary"];
      /**
      * Format: date-time
      * @description When the job was queued that waits longest.
      */
      longest_queued: string;
      /** @description cpus in cores; mem and disk in MiB; gpus in units. */
      resources: {
        [key: string]: number;
      };
      unmet: string | null;
      /** @description Names of those that a node has to reach. */
      workspaces: string[];
    };
    QueueClassPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["QueueClass"][];
    };
    QueuedResources: {
      cluster_resources: {
        cpus: number;
        disk: number;
        gpus: number;
        mem: number;
      } & {
        [key: string]: number;
      };
      queue_lengths: {
        /** @description Jobs. The jobs of a scan that nobody has started are not counted. */
        PENDING: number;
        /** @description Jobs. The jobs of a scan that nobody has started are not counted. */
        QUEUED: number;
        /** @description Jobs. The jobs of a scan that nobody has started are not counted. */
        RUNNING: number;
      };
      total_resources: {
        /** @description cpus in cores; mem and disk in MiB; gpus in units. */
        PENDING: {
          [key: string]: number;
        };
        /** @description cpus in cores; mem and disk in MiB; gpus in units. */
        QUEUED: {
          [key: string]: number;
        };
        /** @description cpus in cores; mem and disk in MiB; gpus in units. */
        RUNNING: {
          [key: string]: number;
        };
      };
    };
    QueueStatus: {
      /** @description Queued jobs of the type. */
      count: number;
      /** @description The smallest number: the most urgent. */
      highest_priority: number;
      job_type: components["schemas"]["JobTypeSummary"];
      /**
      * Format: date-time
      * @description When the job that waits longest was queued.
      */
      longest_queued: string;
    };
    QueueStatusPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["QueueStatus"][];
    };
    Ready: {
      /** @constant */
      ready: true;
      warnings: {
        description: string;
        name: string;
      }[];
    };
    Recipe: {
      batch: components["schemas"]["BatchSummary"] | null;
      completed: string | null;
      /** Format: date-time */
      created: string;
      event: components["schemas"]["Event"];
      id: number;
      input_file_size: number | null;
      is_completed: boolean;
      /** @description It is not complete, and nothing of it will run unless somebody asks for it: it is superseded, or none of its jobs is queued or running, and some have failed or were canceled. */
      is_halted: boolean;
      is_superseded: boolean;
      jobs_blocked: number;
      jobs_canceled: number;
      jobs_completed: number;
      jobs_failed: number;
      jobs_pending: number;
      jobs_queued: number;
      jobs_running: number;
      jobs_total: number;
      /** Format: date-time */
      last_modified: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      recipe: components["schemas"]["RecipeSummary"] | null;
      recipe_type: components["schemas"]["RecipeTypeSummary"];
      recipe_type_rev: {
        id: number;
        recipe_type: components["schemas"]["IdRef"];
        revision_num: number;
      };
      source_collection: string | null;
      source_ended: string | null;
      source_sensor: string | null;
      source_sensor_class: string | null;
      source_started: string | null;
      source_task: string | null;
      /**
      * @description COMPLETED, or the most urgent state of its jobs: FAILED, RUNNING, QUEUED, BLOCKED, CANCELED, then PENDING.
      * @enum {string}
      */
      state: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      sub_recipes_completed: number;
      sub_recipes_total: number;
      superseded: string | null;
      superseded_recipe: components["schemas"]["IdRef"] | null;
    };
    RecipeChain: {
      /** @description The newest first. */
      results: {
        completed: string | null;
        /** Format: date-time */
        created: string;
        event: components["schemas"]["Event"];
        id: number;
        is_superseded: boolean;
        jobs_completed: number;
        jobs_failed: number;
        jobs_total: number;
        /** @description Nodes that it took over from the recipe before. */
        kept_count: number;
        /** @description Nodes that it made itself. */
        made_count: number;
        /** @description The first 20 that it made itself, by name. */
        made_nodes: string[];
        revision_num: number;
        /** @enum {string} */
        state: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED" | "ACCEPTED" | "REFUSED";
        superseded: string | null;
        superseded_recipe: components["schemas"]["IdRef"] | null;
      }[];
    };
    /**
    * How the jobs of one recipe run, on top of the configurations of their types
    * @example {
    *       "output_workspaces": {
    *         "default": "products"
    *       },
    *       "priority": 50
    *     }
    * @example {
    *       "settings": {
    *         "LEVEL": 9,
    *         "FAST": true
    *       }
    *     }
    */
    RecipeConfiguration: {
      /** @description MiB of each output stream that are kept. Default: 16. */
      log_limit?: number | null;
      /** @description By the names of mounts of the manifest. */
      mounts?: {
        [key: string]: {
          /** @description An absolute path on the node, not `/`, without `..`. */
          host_path: string;
          /** @enum {string} */
          type: "host";
        } | {
          /** @description The volume driver; empty: the default one. */
          driver?: string | null;
          /** @description Options of the driver. */
          driver_opts?: {
            [key: string]: string;
          } | null;
          /** @enum {string} */
          type: "volume";
        };
      } | null;
      /** @description Names of workspaces. Every output file needs one, its own or the default. */
      output_workspaces?: {
        /** @description Where outputs without an entry of their own go. */
        default?: string | null;
        /** @description Names of workspaces by the names of outputs. */
        outputs?: {
          [key: string]: string;
        } | null;
      } | null;
      /** @description From 1; smaller numbers run first. Default: 100. */
      priority?: number | null;
      /** @description `long`: products go to a directory of their execution. `own`: they keep their paths inside the output directory; a path that is not free fails the job. Default: `long`. */
      product_path?: ("long" | "own") | null;
      /** @description Values by the names of settings of the manifest. */
      settings?: {
        [key: string]: string | number | boolean;
      } | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    /**
    * @example {
    *       "recipe_type_id": 3,
    *       "input": {
    *         "files": {
    *           "TEXT": [
    *             7
    *           ]
    *         },
    *         "json": {}
    *       }
    *     }
    */
    RecipeCreate: {
      /** @description Applied on top of the configurations of the job types. */
      configuration?: components["schemas"]["RecipeConfiguration"];
      /** @description Values for its input. */
      input: components["schemas"]["DataValues"];
      /** @description Its newest revision is started. */
      recipe_type_id: number;
    };
    /**
    * The nodes of a recipe, and what feeds them
    * @example {
    *       "input": {
    *         "files": [
    *           {
    *             "name": "TEXT"
    *           }
    *         ]
    *       },
    *       "nodes": {
    *         "count": {
    *           "dependencies": [],
    *           "input": {
    *             "TEXT": {
    *               "type": "recipe",
    *               "input": "TEXT"
    *             }
    *           },
    *           "node_type": {
    *             "node_type": "job",
    *             "job_type_name": "count-words",
    *             "job_type_version": "1.0.0"
    *           }
    *         },
    *         "is-long": {
    *           "dependencies": [
    *             {
    *               "name": "count"
    *             }
    *           ],
    *           "input": {
    *             "WORDS": {
    *               "type": "dependency",
    *               "node": "count",
    *               "output": "WORDS"
    *             }
    *           },
    *           "node_type": {
    *             "node_type": "condition",
    *             "interface": {
    *               "json": [
    *                 {
    *                   "name": "WORDS",
    *                   "type": "integer"
    *                 }
    *               ]
    *             },
    *             "data_filter": {
    *               "filters": [
    *                 {
    *                   "name": "WORDS",
    *                   "type": "integer",
    *                   "condition": "<",
    *                   "values": [
    *                     100
    *                   ]
    *                 }
    *               ]
    *             }
    *           }
    *         },
    *         "compress": {
    *           "dependencies": [
    *             {
    *               "name": "is-long",
    *               "acceptance": true
    *             }
    *           ],
    *           "input": {
    *             "FILE": {
    *               "type": "recipe",
    *               "input": "TEXT"
    *             }
    *           },
    *           "node_type": {
    *             "node_type": "job",
    *             "job_type_name": "compress",
    *             "job_type_version": "1.0.0"
    *           }
    *         },
    *         "checksum": {
    *           "dependencies": [
    *             {
    *               "name": "compress"
    *             }
    *           ],
    *           "input": {
    *             "FILE": {
    *               "type": "dependency",
    *               "node": "compress",
    *               "output": "COMPRESSED"
    *             }
    *           },
    *           "node_type": {
    *             "node_type": "job",
    *             "job_type_name": "checksum",
    *             "job_type_version": "1.0.0"
    *           }
    *         }
    *       }
    *     }
    */
    RecipeDefinition: {
      /** @description What a recipe takes. */
      input: components["schemas"]["Interface"];
      /** @description By the names of nodes. */
      nodes: {
        [key: string]: {
          /** @description Nodes that this one waits for; empty: none. */
          dependencies: {
            /** @description For a condition: whether it must have accepted. Default: true. */
            acceptance?: boolean | null;
            /** @description The name of the node that must have completed. */
            name: string;
          }[];
          /** @description By the names of inputs of the node. */
          input: {
            [key: string]: components["schemas"]["FromRecipe"] | components["schemas"]["FromNode"];
          };
          node_type: components["schemas"]["JobNode"] | components["schemas"]["SubRecipeNode"] | components["schemas"]["ConditionNode"];
        };
      };
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
    };
    RecipeDetails: {
      batch: components["schemas"]["BatchSummary"] | null;
      completed: string | null;
      configuration: components["schemas"]["RecipeConfiguration"] | null;
      /** Format: date-time */
      created: string;
      details: {
        job_types: {
          description: string;
          icon_code: string | null;
          id: number;
          name: string;
          title: string;
          version: string;
        }[];
        /** @description The nodes that exist so far, by name. */
        nodes: {
          [key: string]: {
            dependencies: {
              name: string;
            }[];
            node_type: {
              job_id: number;
              job_type_name: string;
              job_type_revision: number;
              job_type_version: string;
              /** @constant */
              node_type: "job";
              /** @enum {string} */
              status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
            } | {
              is_completed: boolean;
              jobs_blocked: number;
              jobs_canceled: number;
              jobs_completed: number;
              jobs_failed: number;
              jobs_pending: number;
              jobs_queued: number;
              jobs_running: number;
              jobs_total: number;
              /** @constant */
              node_type: "recipe";
              recipe_id: number;
              recipe_type_name: string;
              recipe_type_revision: number;
              sub_recipes_completed: number;
              sub_recipes_total: number;
            } | {
              condition_id: number;
              is_accepted: boolean;
              is_processed: boolean;
              /** @constant */
              node_type: "condition";
              /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
              object_version: number;
              reason: string | null;
            };
          };
        };
        sub_recipe_types: components["schemas"]["RecipeTypeSummary"][];
      };
      event: components["schemas"]["Event"];
      id: number;
      input: components["schemas"]["Data"];
      input_file_size: number | null;
      is_completed: boolean;
      /** @description It is not complete, and nothing of it will run unless somebody asks for it: it is superseded, or none of its jobs is queued or running, and some have failed or were canceled. */
      is_halted: boolean;
      is_superseded: boolean;
      job_types: {
        description: string;
        icon_code: string | null;
        id: number;
        name: string;
        title: string;
        version: string;
      }[];
      jobs_blocked: number;
      jobs_canceled: number;
      jobs_completed: number;
      jobs_failed: number;
      jobs_pending: number;
      jobs_queued: number;
      jobs_running: number;
      jobs_total: number;
      /** Format: date-time */
      last_modified: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      recipe: components["schemas"]["RecipeSummary"] | null;
      recipe_type: {
        /** Format: date-time */
        created: string;
        deprecated: string | null;
        description: string;
        id: number;
        is_active: boolean;
        is_system: boolean;
        /** Format: date-time */
        last_modified: string;
        name: string;
        revision_num: number;
        title: string;
      };
      recipe_type_rev: {
        /** Format: date-time */
        created: string;
        definition: components["schemas"]["RecipeDefinition"];
        id: number;
        recipe_type: {
          /** Format: date-time */
          created: string;
          deprecated: string | null;
          description: string;
          id: number;
          is_active: boolean;
          is_system: boolean;
          /** Format: date-time */
          last_modified: string;
          name: string;
          revision_num: number;
          title: string;
        };
        revision_num: number;
      };
      source_collection: string | null;
      source_ended: string | null;
      source_sensor: string | null;
      source_sensor_class: string | null;
      source_started: string | null;
      source_task: string | null;
      /**
      * @description COMPLETED, or the most urgent state of its jobs: FAILED, RUNNING, QUEUED, BLOCKED, CANCELED, then PENDING.
      * @enum {string}
      */
      state: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      sub_recipe_types: components["schemas"]["RecipeTypeSummary"][];
      sub_recipes_completed: number;
      sub_recipes_total: number;
      superseded: string | null;
      superseded_by_recipe: components["schemas"]["IdRef"] | null;
      superseded_recipe: components["schemas"]["IdRef"] | null;
    };
    RecipeDifference: {
      /** @description What differs between the definitions, node by node. */
      diff: components["schemas"]["DefinitionDifference"];
      from: {
        id: number;
        revision_num: number;
      };
      id: number;
      /** @description Those that differ, by name; 100 at most. */
      inputs: {
        after: string | null;
        before: string | null;
        name: string;
      }[];
      /** @description Products that differ. */
      product_count: number;
      /** @description The first 200 of them, by node. What was taken over is in both recipes. */
      products: {
        after: {
          file_size: number;
          id: number;
          is_deleted: boolean;
        } | null;
        before: {
          file_size: number;
          id: number;
          is_deleted: boolean;
        } | null;
        file_name: string;
        is_same_content: boolean | null;
        output: string | null;
        /** @description The name of the node, after the names of the recipe nodes that contain it. */
        path: string[];
      }[];
      revision_num: number;
    };
    RecipeGraph: {
      /** @description Equal for recipes whose graphs have the same nodes and edges. */
      definition_hash: string;
      id: number;
      /** @description Each after those that it depends on. */
      nodes: {
        condition: {
          /** Format: date-time */
          created: string;
          id: number;
          processed: string | null;
          reason: string | null;
        } | null;
        dependencies: {
          acceptance: boolean;
          name: string;
        }[];
        /** @description Taken over from the recipe that this one supersedes. */
        is_kept: boolean;
        job: {
          ended: string | null;
          error: string | null;
          id: number;
          node: string | null;
          num_exes: number;
          queued: string | null;
          started: string | null;
        } | null;
        name: string;
        /** @description False: one test that passes is enough. */
        needs_all_tests: boolean;
        /** @enum {string} */
        node_type: "job" | "recipe" | "condition";
        recipe: {
          completed: string | null;
          /** Format: date-time */
          created: string;
          id: number;
          jobs_completed: number;
          jobs_failed: number;
          jobs_total: number;
          sub_recipes_completed: number;
          sub_recipes_total: number;
        } | null;
        /**
        * @description For a job its status, for a recipe that of its most urgent jobs, for a condition its result. `WAITING`: not created yet; `SKIPPED`: never created, because of the result of a condition.
        * @enum {string}
        */
        state: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED" | "ACCEPTED" | "REFUSED" | "WAITING" | "SKIPPED";
        /** @description The tests of a condition; the first 20. */
        tests: {
          compared: string | null;
          /** @description In words: `passes when 100 < WORDS`. */
          meaning: string;
        }[];
        type_name: string | null;
        type_revision: number | null;
        type_version: string | null;
      }[];
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      recipe_type: components["schemas"]["RecipeTypeSummary"];
      revision_num: number;
    };
    RecipeGrid: {
      /** @description Each after those that it depends on; then those that only earlier revisions have. */
      nodes: {
        /** @description Ids of the jobs, recipes or conditions, in the same order. */
        ids: (number | null)[];
        name: string;
        /** @enum {string} */
        node_type: "job" | "recipe" | "condition";
        /** @description One for each recipe, in their order. Null: the recipe has no such node. */
        states: (("PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED" | "ACCEPTED" | "REFUSED") | null)[];
      }[];
      /** @description The recipes that changed last; the newest of them first. */
      recipes: {
        completed: string | null;
        /** Format: date-time */
        created: string;
        id: number;
        is_completed: boolean;
        is_superseded: boolean;
        jobs_completed: number;
        jobs_failed: number;
        jobs_total: number;
        /** Format: date-time */
        last_modified: string;
        revision_num: number;
        /**
        * @description The state of its most urgent jobs.
        * @enum {string}
        */
        state: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED" | "ACCEPTED" | "REFUSED";
      }[];
    };
    RecipePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Recipe"][];
    };
    /**
    * @example {
    *       "forced_nodes": {
    *         "all": true
    *       }
    *     }
    * @example {
    *       "forced_nodes": {
    *         "all": false,
    *         "nodes": [
    *           "compress"
    *         ]
    *       }
    *     }
    */
    RecipeReprocess: {
      /** @description The body itself may be the forced-nodes document. */
      all?: boolean;
      /** @description Which nodes run again besides those that changed. */
      forced_nodes?: components["schemas"]["ForcedNodes"];
      nodes?: string[];
      /** @description The revision of the recipe type; the newest if absent. */
      revision_num?: number;
      /** @description By the names of recipe nodes. */
      sub_recipes?: {
        [key: string]: components["schemas"]["ForcedNodes"];
      };
    };
    RecipeSummary: {
      event: components["schemas"]["IdRef"];
      id: number;
      recipe_type: components["schemas"]["RecipeTypeSummary"];
      recipe_type_rev: components["schemas"]["IdRef"];
    };
    RecipeTimeline: {
      /** @description Jobs that were queued. */
      count: number;
      /** @description The first 2000 of them, in the order in which they were queued. */
      jobs: {
        ended: string | null;
        id: number;
        /** @description Taken over from the recipe that was superseded, itself or with the recipe that contains it. */
        is_kept: boolean;
        /** @description The name of the node, after the names of the recipe nodes that contain it. */
        path: string[];
        /** Format: date-time */
        queued: string;
        recipe_id: number;
        started: string | null;
        /** @enum {string} */
        status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      }[];
    };
    RecipeType: {
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      id: number;
      /** @description False once deprecated. */
      is_active: boolean;
      is_system: boolean;
      job_types: {
        name: string;
        version: string;
      }[];
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      revision_num: number;
      sub_recipe_types: string[];
      title: string;
    };
    /**
    * @example {
    *       "title": "Long texts",
    *       "definition": {
    *         "input": {
    *           "files": [
    *             {
    *               "name": "TEXT"
    *             }
    *           ]
    *         },
    *         "nodes": {
    *           "count": {
    *             "dependencies": [],
    *             "input": {
    *               "TEXT": {
    *                 "type": "recipe",
    *                 "input": "TEXT"
    *               }
    *             },
    *             "node_type": {
    *               "node_type": "job",
    *               "job_type_name": "count-words",
    *               "job_type_version": "1.0.0"
    *             }
    *           },
    *           "is-long": {
    *             "dependencies": [
    *               {
    *                 "name": "count"
    *               }
    *             ],
    *             "input": {
    *               "WORDS": {
    *                 "type": "dependency",
    *                 "node": "count",
    *                 "output": "WORDS"
    *               }
    *             },
    *             "node_type": {
    *               "node_type": "condition",
    *               "interface": {
    *                 "json": [
    *                   {
    *                     "name": "WORDS",
    *                     "type": "integer"
    *                   }
    *                 ]
    *               },
    *               "data_filter": {
    *                 "filters": [
    *                   {
    *                     "name": "WORDS",
    *                     "type": "integer",
    *                     "condition": "<",
    *                     "values": [
    *                       100
    *                     ]
    *                   }
    *                 ]
    *               }
    *             }
    *           },
    *           "compress": {
    *             "dependencies": [
    *               {
    *                 "name": "is-long",
    *                 "acceptance": true
    *               }
    *             ],
    *             "input": {
    *               "FILE": {
    *                 "type": "recipe",
    *                 "input": "TEXT"
    *               }
    *             },
    *             "node_type": {
    *               "node_type": "job",
    *               "job_type_name": "compress",
    *               "job_type_version": "1.0.0"
    *             }
    *           },
    *           "checksum": {
    *             "dependencies": [
    *               {
    *                 "name": "compress"
    *               }
    *             ],
    *             "input": {
    *               "FILE": {
    *                 "type": "dependency",
    *                 "node": "compress",
    *                 "output": "COMPRESSED"
    *               }
    *             },
    *             "node_type": {
    *               "node_type": "job",
    *               "job_type_name": "checksum",
    *               "job_type_version": "1.0.0"
    *             }
    *           }
    *         }
    *       }
    *     }
    */
    RecipeTypeCreate: {
      /** @description Its nodes, and what feeds them. */
      definition: components["schemas"]["RecipeDefinition"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description Default: derived from the title, with a suffix when that name is taken. */
      name?: string;
      title: string;
    };
    RecipeTypeDetails: {
      /** Format: date-time */
      created: string;
      /** @description With all defaults. */
      definition: components["schemas"]["RecipeDefinition"];
      deprecated: string | null;
      description: string;
      id: number;
      /** @description False once deprecated. */
      is_active: boolean;
      is_system: boolean;
      job_types: components["schemas"]["JobTypeDetails"][];
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      revision_num: number;
      sub_recipe_types: {
        /** Format: date-time */
        created: string;
        definition: components["schemas"]["RecipeDefinition"];
        deprecated: string | null;
        description: string;
        id: number;
        /** @description False once deprecated. */
        is_active: boolean;
        is_system: boolean;
        /** Format: date-time */
        last_modified: string;
        name: string;
        revision_num: number;
        title: string;
      }[];
      super_recipe_types: {
        /** Format: date-time */
        created: string;
        deprecated: string | null;
        description: string;
        id: number;
        /** @description False once deprecated. */
        is_active: boolean;
        is_system: boolean;
        /** Format: date-time */
        last_modified: string;
        name: string;
        revision_num: number;
        title: string;
      }[];
      title: string;
    };
    RecipeTypeEdit: {
      /** @description Whether recipe types that contain it take over the revision. */
      auto_update?: boolean;
      /** @description Makes a revision. */
      definition?: components["schemas"]["RecipeDefinition"];
      description?: string;
      /** @description False deprecates it and all that contain it. */
      is_active?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      title?: string;
    };
    RecipeTypeGraph: {
      /** @description Each after those that it depends on. */
      nodes: {
        dependencies: {
          acceptance: boolean;
          name: string;
        }[];
        name: string;
        /** @description False: one test that passes is enough. */
        needs_all_tests: boolean;
        /** @enum {string} */
        node_type: "job" | "recipe" | "condition";
        /** @description The tests of a condition; the first 20. */
        tests: {
          compared: string | null;
          /** @description In words: `passes when 100 < WORDS`. */
          meaning: string;
        }[];
        type_name: string | null;
        type_revision: number | null;
        type_version: string | null;
      }[];
      revision_num: number;
    };
    RecipeTypeHead: {
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      id: number;
      is_active: boolean;
      is_system: boolean;
      /** Format: date-time */
      last_modified: string;
      name: string;
      revision_num: number;
      title: string;
    };
    RecipeTypePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RecipeType"][];
    };
    RecipeTypeRevision: {
      /** Format: date-time */
      created: string;
      id: number;
      recipe_type: components["schemas"]["RecipeTypeSummary"];
      revision_num: number;
    };
    RecipeTypeRevisionDetails: {
      /** Format: date-time */
      created: string;
      definition: components["schemas"]["RecipeDefinition"];
      id: number;
      recipe_type: {
        /** Format: date-time */
        created: string;
        deprecated: string | null;
        description: string;
        id: number;
        /** @description False once deprecated. */
        is_active: boolean;
        is_system: boolean;
        /** Format: date-time */
        last_modified: string;
        name: string;
        revision_num: number;
        title: string;
      };
      revision_num: number;
    };
    RecipeTypeRevisionPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RecipeTypeRevision"][];
    };
    RecipeTypeSummary: {
      description: string;
      id: number;
      name: string;
      revision_num: number;
      title: string;
    };
    RecipeTypeTimeline: {
      name: string;
      recipe_type_id: number;
      /** @description Days with starts, the oldest first. */
      results: {
        count: number;
        /**
        * Format: date-time
        * @description The day: its midnight, UTC.
        */
        date: string;
      }[];
      /** @description The revision that its recipes were created with. */
      revision_num: number;
      title: string;
    };
    RecipeTypeValidation: {
      definition: components["schemas"]["RecipeDefinition"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description The name of the recipe type that would be edited. */
      name?: string;
      title?: string;
    };
    RecipeTypeValidationResult: {
      /** @description From the current revision to the definition; empty when there is nothing to compare. */
      diff: components["schemas"]["DefinitionDifference"] | Record<string, never>;
      effects?: {
        /** @description The most that it can be: as if all conditions accepted. */
        one_recipe: components["schemas"]["WorkEstimate"];
        /** @description What recipe types would do about the new revision, unless `auto_update` is false. */
        recipe_types: components["schemas"]["FollowingTypes"];
        /** @description The revision that it would have; the present one if nothing changes. */
        revision_num: number;
      } | null;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      errors: components["schemas"]["Problem"][];
      /** @description True: the same fields would be accepted by the create or edit call. */
      is_valid: boolean;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      warnings: components["schemas"]["Problem"][];
    };
    RecipeWhy: {
      /** @description In the order in which the recipe continues; the first subject is the node. Includes nodes that were never created. For the first 100 such nodes. */
      causes: components["schemas"]["Cause"][];
      /** @description Nodes that are not done or were never created, in the recipe and in recipes inside it. */
      held_count: number;
      id: number;
      is_completed: boolean;
    };
    RegisteredError: {
      /** @enum {string} */
      category: "SYSTEM" | "ALGORITHM" | "DATA";
      /** Format: date-time */
      created: string;
      description: string;
      id: number;
      is_builtin: boolean;
      job_type_name: string | null;
      /** Format: date-time */
      last_modified: string;
      name: string;
      should_be_retried: boolean;
      title: string;
    };
    RegisteredErrorPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RegisteredError"][];
    };
    ReprocessPreview: {
      canceled_job_count: number;
      /** @description Jobs that are not done: the first 100. */
      canceled_job_ids: number[];
      new_jobs: number;
      new_recipes: number;
      /** @description Nodes of the new recipe: created again, or kept with their jobs. Other nodes wait for a condition. */
      nodes: {
        kept: string[];
        made: string[];
      };
      superseded_jobs: number;
      warnings: components["schemas"]["Problem"][];
    };
    RequeueAccepted: {
      /** @description Job types of the chosen jobs that have a newer revision: the first 20, and the number of others. */
      warnings: components["schemas"]["Problem"][];
    };
    RevisionDifference: {
      /** @description What differs, node by node. */
      diff: components["schemas"]["DefinitionDifference"];
    };
    RunningJobType: {
      count: number;
      job_type: components["schemas"]["JobTypeSummary"];
      /** Format: date-time */
      longest_running: string;
    };
    RunningJobTypePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RunningJobType"][];
    };
    SavedFilter: {
      /** Format: date-time */
      created: string;
      id: number;
      /** @description The list that it filters, such as `jobs`. */
      list: string;
      /** @description What follows the `?` in the address of the list. */
      search: string;
      title: string;
    };
    SavedFilterCreate: {
      /** @description The list that it filters, such as `jobs`. */
      list: string;
      /** @description What follows the `?` in the address of the list. */
      search: string;
      title: string;
    };
    SavedFilterPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SavedFilter"][];
    };
    Scan: {
      /** Format: date-time */
      created: string;
      description: string;
      dry_run_job: components["schemas"]["ScanJob"];
      file_count: number | null;
      id: number;
      job: {
        id: number;
        job_type: components["schemas"]["JobTypeSummary"];
        job_type_rev: components["schemas"]["IdRef"];
        /** @enum {string} */
        status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
      };
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      title: string;
    };
    ScanCanceled: {
      canceled_jobs: number[];
      id: number;
    };
    ScanCheck: {
      /** @description What it lists, takes and starts. */
      configuration: components["schemas"]["ScanConfiguration"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description The name of the scan whose change is checked. */
      name?: string;
      title: string;
    };
    ScanComparison: {
      /** @description The oldest first, the scan itself last. */
      scans: {
        /** Format: date-time */
        created: string;
        id: number;
        /** @description Its ingests by what became of them, of all its runs. */
        ingests: {
          deferred: number;
          duplicate: number;
          errored: number;
          ingested: number;
          live: number;
        };
        /** Format: date-time */
        last_modified: string;
        matched: number | null;
        mode: ("dry_run" | "ingest") | null;
        name: string;
        title: string;
        unmatched: number | null;
      }[];
    };
    /**
    * What a scan lists, takes and starts
    * @example {
    *       "workspace": "arrivals",
    *       "scanner": {
    *         "type": "dir"
    *       },
    *       "recursive": true,
    *       "files_to_ingest": [
    *         {
    *           "filename_regex": ".*\\.md$"
    *         }
    *       ],
    *       "recipe": {
    *         "name": "long-texts"
    *       }
    *     }
    */
    ScanConfiguration: {
      /** @description The first rule that matches a file decides; a file that none matches is deferred. */
      files_to_ingest: {
        /** @description Labels that the file gets. */
        data_types?: string[] | null;
        /** @description Matches from the start of the name; end it with `$` to match the whole name. */
        filename_regex: string;
        /** @description What is matched. Default: the name. */
        match?: ("name" | "path") | null;
        /** @description A relative directory that it is moved to, into directories of the year, month and day. */
        new_file_path?: string | null;
        /** @description Where the file is moved to. Default: it stays. */
        new_workspace?: string | null;
      }[];
      /** @description The same as `scanner`, as answers show it. */
      monitor?: {
        /** @description The end of the names of files that are still being written, such as `_tmp`; without `/`. */
        transfer_suffix?: string | null;
        /**
        * @description `dir` for host and nfs, `objstore` for buckets.
        * @enum {string}
        */
        type: "dir" | "objstore";
      } | null;
      /** @description The recipe type that is started for each file. It has one required input, a file. */
      recipe?: {
        /** @description The name of the recipe type, not its title. */
        name: string;
        /** @description Default: the newest. */
        revision_num?: (number | string) | null;
      } | null;
      /** @description Lists sub-directories as well. Default: true. */
      recursive?: boolean | null;
      /** @description How the workspace is listed. */
      scanner: {
        /** @description The end of the names of files that are still being written, such as `_tmp`; without `/`. */
        transfer_suffix?: string | null;
        /**
        * @description `dir` for host and nfs, `objstore` for buckets.
        * @enum {string}
        */
        type: "dir" | "objstore";
      };
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
      /** @description The name of the workspace that is listed. */
      workspace: string;
    };
    ScanCounts: {
      /** @description Files that each rule took, in the order of the rules. */
      by_rule: number[];
      ended: string | null;
      matched: number;
      /** @enum {string} */
      mode: "dry_run" | "ingest";
      rules: {
        data_types: string[];
        filename_regex: string;
        /** @enum {string} */
        match?: "name" | "path";
        new_file_path?: string;
        new_workspace?: string;
      }[] | null;
      unmatched: number;
    };
    /**
    * @example {
    *       "title": "Shelf",
    *       "configuration": {
    *         "workspace": "arrivals",
    *         "scanner": {
    *           "type": "dir"
    *         },
    *         "recursive": true,
    *         "files_to_ingest": [
    *           {
    *             "filename_regex": ".*\\.md$"
    *           }
    *         ],
    *         "recipe": {
    *           "name": "long-texts"
    *         }
    *       }
    *     }
    */
    ScanCreate: {
      /** @description What it lists, takes and starts. */
      configuration: components["schemas"]["ScanConfiguration"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description Default: derived from the title, with a suffix when that name is taken. */
      name?: string;
      title: string;
    };
    ScanDetails: {
      /** @description `scanner` is repeated as `monitor`. */
      configuration: components["schemas"]["ScanConfiguration"];
      counts: components["schemas"]["ScanCounts"] | null;
      /** Format: date-time */
      created: string;
      description: string;
      dry_run_job: components["schemas"]["ScanJob"];
      file_count: number | null;
      id: number;
      job: components["schemas"]["ScanJob"];
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      previous_counts: components["schemas"]["PreviousScanCounts"] | null;
      reason: string | null;
      title: string;
      /** @description Runs that were requested and begin, in this order, when the present run has ended. */
      waiting: ("dry_run" | "ingest")[];
    };
    ScanEdit: {
      /** @description What it lists, takes and starts. */
      configuration?: components["schemas"]["ScanConfiguration"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      title?: string;
    };
    ScanJob: {
      id: number;
      job_type: components["schemas"]["JobTypeSummary"];
      /** @enum {string} */
      status: "PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED";
    };
    ScanPage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Scan"][];
    };
    ScanProcess: {
      /** @description True ingests; false, as when absent, only counts. */
      ingest?: boolean;
    };
    Scheduler: {
      /** @description True: no node gets new jobs, as if every node were paused. */
      is_paused: boolean;
      /** @description Parallel commit lanes of a coordinator. */
      num_message_handlers: number;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      /** @enum {string} */
      queue_mode: "FIFO" | "LIFO";
      /** @enum {string} */
      system_logging_level: "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL";
    };
    SchedulerEdit: {
      is_paused?: boolean;
      num_message_handlers?: number;
      /** @description LIFO or FIFO, in any case. */
      queue_mode?: string;
      /** @description DEBUG, INFO, WARNING, ERROR, CRITICAL; any other value becomes INFO. */
      system_logging_level?: string;
    };
    SecretKey: {
      began: string | null;
      completed: string | null;
      /** @description Living coordinators. */
      coordinator_count: number;
      /** @description Living coordinators that have it in their file. */
      holder_count: number;
      /** @description Ten hexadecimal digits that identify the key without revealing it. */
      id: string;
      /** @description Whether new secrets are encrypted with it. */
      is_current: boolean;
    };
    SecretKeys: {
      results: components["schemas"]["SecretKey"][];
    };
    /** Command, inputs and outputs of a job */
    SeedInterface: {
      /** @description The command. `${NAME}` stands for the value of the input NAME, and `${OUTPUT_DIR}` for the directory of outputs. Text in quotes is one argument: `sh -c '…' job ${TEXT} ${OUTPUT_DIR}` has both as `$1` and `$2`. Default: what the image runs. */
      command?: string | null;
      /** @description What the job takes. Names are those of variables of its environment. */
      inputs?: {
        /** @description Files. */
        files?: {
          /** @description Media types that it takes; none: any. */
          mediaTypes?: string[] | null;
          /** @description Takes several files: the variable then holds a directory. Default: false. */
          multiple?: boolean | null;
          /** @description The variable of the command that holds the path, such as `INPUT_FILE`. */
          name: string;
          /** @description Only a part of the file is read. Default: false. */
          partial?: boolean | null;
          /** @description Default: true. */
          required?: boolean | null;
        }[] | null;
        /** @description JSON values. */
        json?: {
          /** @description The variable that holds the value. */
          name: string;
          /** @description Default: true. */
          required?: boolean | null;
          /**
          * @description The type of the value.
          * @enum {string}
          */
          type: "array" | "boolean" | "integer" | "number" | "object" | "string";
        }[] | null;
      } | null;
      /** @description Directories that the configuration supplies. */
      mounts?: {
        /** @description Read only, or not. Default: ro. */
        mode?: ("ro" | "rw") | null;
        /** @description The name by which configurations refer to it. */
        name: string;
        /** @description An absolute path in the container. */
        path: string;
      }[] | null;
      /** @description What the job makes. */
      outputs?: {
        /** @description Files that it leaves in `OUTPUT_DIR`. */
        files?: {
          /** @description Default: by the name of the file. */
          mediaType?: string | null;
          /** @description Several files may match. Default: false. */
          multiple?: boolean | null;
          /** @description The name by which connections refer to it. */
          name: string;
          /** @description A pattern of names inside `OUTPUT_DIR`, such as `*.gz`; not absolute, and without `..`. */
          pattern: string;
          /** @description The job fails where no file matches. Default: true. */
          required?: boolean | null;
        }[] | null;
        /** @description Members of the object in `OUTPUT_DIR/seed.outputs.json`. */
        json?: {
          /** @description The key in `seed.outputs.json`. Default: the name. */
          key?: string | null;
          /** @description The name by which connections refer to it. */
          name: string;
          /** @description The job fails without it. Default: true. */
          required?: boolean | null;
          /**
          * @description The type of the value.
          * @enum {string}
          */
          type: "array" | "boolean" | "integer" | "number" | "object" | "string";
        }[] | null;
      } | null;
      /** @description Variables whose values the configuration supplies. */
      settings?: {
        /** @description The variable that holds its value. */
        name: string;
        /** @description Its value is encrypted and never shown. Default: false. */
        secret?: boolean | null;
      }[] | null;
    };
    /**
    * Seed manifest 1.0.0: what a job is, takes and makes
    * @example {
    *       "seedVersion": "1.0.0",
    *       "job": {
    *         "name": "count-words",
    *         "jobVersion": "1.0.0",
    *         "packageVersion": "1.0.0",
    *         "title": "Count words",
    *         "description": "Count words",
    *         "maintainer": {
    *           "name": "You",
    *           "email": "you@example.com"
    *         },
    *         "timeout": 60,
    *         "interface": {
    *           "command": "sh -c 'printf \"{\\\"WORDS\\\": %d}\" $(wc -w <\"$1\") >\"$2/seed.outputs.json\"' job ${TEXT} ${OUTPUT_DIR}",
    *           "inputs": {
    *             "files": [
    *               {
    *                 "name": "TEXT"
    *               }
    *             ]
    *           },
    *           "outputs": {
    *             "json": [
    *               {
    *                 "name": "WORDS",
    *                 "type": "integer"
    *               }
    *             ]
    *           }
    *         },
    *         "resources": {
    *           "scalar": [
    *             {
    *               "name": "cpus",
    *               "value": 0.5
    *             },
    *             {
    *               "name": "mem",
    *               "value": 64
    *             }
    *           ]
    *         }
    *       }
    *     }
    * @example {
    *       "seedVersion": "1.0.0",
    *       "job": {
    *         "name": "compress",
    *         "jobVersion": "1.0.0",
    *         "packageVersion": "1.0.0",
    *         "title": "Compress",
    *         "description": "Compress",
    *         "maintainer": {
    *           "name": "You",
    *           "email": "you@example.com"
    *         },
    *         "timeout": 60,
    *         "interface": {
    *           "command": "sh -c 'gzip -n -c \"$1\" >\"$2/$(basename \"$1\").gz\"' job ${FILE} ${OUTPUT_DIR}",
    *           "inputs": {
    *             "files": [
    *               {
    *                 "name": "FILE"
    *               }
    *             ]
    *           },
    *           "outputs": {
    *             "files": [
    *               {
    *                 "name": "COMPRESSED",
    *                 "pattern": "*.gz",
    *                 "mediaType": "application/gzip"
    *               }
    *             ]
    *           }
    *         },
    *         "resources": {
    *           "scalar": [
    *             {
    *               "name": "cpus",
    *               "value": 0.5
    *             },
    *             {
    *               "name": "mem",
    *               "value": 64
    *             }
    *           ]
    *         }
    *       }
    *     }
    * @example {
    *       "seedVersion": "1.0.0",
    *       "job": {
    *         "name": "checksum",
    *         "jobVersion": "1.0.0",
    *         "packageVersion": "1.0.0",
    *         "title": "Checksum",
    *         "description": "Checksum",
    *         "maintainer": {
    *           "name": "You",
    *           "email": "you@example.com"
    *         },
    *         "timeout": 60,
    *         "interface": {
    *           "command": "sh -c 'sha256sum <\"$1\" >\"$2/$(basename \"$1\").sha256\"' job ${FILE} ${OUTPUT_DIR}",
    *           "inputs": {
    *             "files": [
    *               {
    *                 "name": "FILE"
    *               }
    *             ]
    *           },
    *           "outputs": {
    *             "files": [
    *               {
    *                 "name": "CHECKSUM",
    *                 "pattern": "*.sha256",
    *                 "mediaType": "text/plain"
    *               }
    *             ]
    *           }
    *         },
    *         "resources": {
    *           "scalar": [
    *             {
    *               "name": "cpus",
    *               "value": 0.5
    *             },
    *             {
    *               "name": "mem",
    *               "value": 64
    *             }
    *           ]
    *         }
    *       }
    *     }
    */
    SeedManifest: {
      job: {
        /** @description For people. */
        description: string;
        /** @description What exit codes mean. */
        errors?: {
          /** @description Whose fault it is: that of the job or of its data. Default: job. */
          category?: ("job" | "data") | null;
          /** @description The exit code; never 0. */
          code: number;
          /** @description For people. */
          description?: string | null;
          /** @description Default: from title and code. */
          name?: string | null;
          /** @description For people. */
          title?: string | null;
        }[] | null;
        interface?: components["schemas"]["SeedInterface"] | null;
        /** @description Of the job, such as `1.0.0`. */
        jobVersion: string;
        maintainer: {
          /** @description Their address. */
          email: string;
          /** @description A person or team. */
          name: string;
          /** @description Their organization. */
          organization?: string | null;
          /** @description Their telephone number. */
          phone?: string | null;
          /** @description Their web page. */
          url?: string | null;
        };
        /** @description Name and version together identify the job type. */
        name: string;
        /** @description Of its packaging, such as `1.0.0`. */
        packageVersion: string;
        resources?: {
          /** @description What a run needs. */
          scalar?: {
            /** @description Adds so many MiB for each MiB of input. */
            inputMultiplier?: number | null;
            /** @description `cpus`, `mem` and `disk` (MiB), `gpus`, `sharedmem`, or one that nodes offer. */
            name: string;
            /** @description The amount. */
            value: number;
          }[] | null;
        } | null;
        /** @description Words by which it is found. */
        tags?: string[] | null;
        /** @description Seconds after which a run has failed. */
        timeout: number;
        /** @description The name that people read. */
        title: string;
      };
      /**
      * @description The version of the manifest form.
      * @enum {string}
      */
      seedVersion: "1.0.0";
    };
    SourceFile: {
      center_point: string | null;
      /** Format: date-time */
      created: string;
      data_ended: string | null;
      data_started: string | null;
      data_type_tags: string[];
      deleted: string | null;
      file_name: string;
      /** @description Relative to the workspace. */
      file_path: string;
      /** @description Bytes. */
      file_size: number;
      /** @enum {string} */
      file_type: "SOURCE" | "PRODUCT";
      geometry: string | null;
      id: number;
      is_deleted: boolean;
      is_parsed: boolean;
      /** Format: date-time */
      last_modified: string;
      media_type: string;
      meta_data: Record<string, never>;
      parsed: string | null;
      /** @description Where the content can be downloaded. */
      url: string;
      /** @description The same for every version of a product. */
      uuid: string;
      workspace: components["schemas"]["WorkspaceRef"];
    };
    Start: {
      detail: string;
      /** @description All calls, for people. */
      docs: string;
      /** @description Where people log in, if authentication is on. */
      login: string;
      /** @description All calls, for programs. */
      openapi: string;
      /** @description URLs of what can be listed, by name. */
      resources: {
        [key: string]: string;
      };
      version: string;
    };
    Status: {
      dependencies: {
        database: components["schemas"]["StatusDependency"];
        idam: components["schemas"]["StatusDependency"];
        image_catalog: components["schemas"]["StatusDependency"];
        logs: components["schemas"]["StatusDependency"];
        msg_queue: components["schemas"]["StatusDependency"];
        nodes: components["schemas"]["StatusDependency"];
        search_index: components["schemas"]["StatusDependency"];
      };
      job_types: {
        description: string;
        icon_code: string | null;
        id: number;
        is_system: boolean;
        name: string;
        title: string;
        version: string;
      }[];
      nodes: components["schemas"]["StatusNode"][];
      num_offers: number;
      /** @description cpus in cores; mem and disk in MiB; gpus in units. */
      resources: components["schemas"]["StatusResources"];
      scheduler: {
        cluster_manager: {
          /** @description Name of the cluster. */
          framework_id: string;
          /** @description The host of the coordinator that owns the scheduler. */
          master_hostname: string;
          master_port: number;
        };
        hostname: string;
        /** @description Figures of the last ten seconds. */
        metrics: {
          jobs_finished_per_sec: number;
          jobs_launched_per_sec: number;
          /** @description Nodes on which an execution ended. */
          new_offers_per_sec: number;
          /** @description Nodes on which an execution started. */
          offers_launched_per_sec: number;
          task_updates_per_sec: number;
          tasks_finished_per_sec: number;
          tasks_launched_per_sec: number;
        };
        state: {
          description: string;
          name: string;
          title: string;
        };
        warnings: components["schemas"]["StatusCondition"][];
      };
      secrets_store: {
        message: string;
        sealed: boolean;
        status: string;
      };
      system: {
        database_update: {
          completed: string | null;
          is_completed: boolean;
        };
        services: {
          actual_count: number;
          description: string;
          desired_count: number;
          name: string;
          title: string;
        }[];
      };
      /**
      * Format: date-time
      * @description When it was made.
      */
      timestamp: string;
    };
    StatusCondition: {
      description: string;
      /** Format: date-time */
      last_updated: string;
      name: string;
      /** Format: date-time */
      started: string;
      title: string;
    };
    StatusDependency: {
      /** @description `msg` always; other keys depend on the dependency. */
      detail: Record<string, never>;
      /** @description Code to text. */
      errors: {
        [key: string]: string;
      }[];
      OK: boolean;
      /** @description Code to text. */
      warnings: {
        [key: string]: string;
      }[];
    };
    StatusJobExecutions: {
      completed: {
        by_job_type: {
          count: number;
          job_type_id: number;
        }[];
        total: number;
      };
      failed: {
        algorithm: {
          by_job_type: {
            count: number;
            job_type_id: number;
          }[];
          total: number;
        };
        data: {
          by_job_type: {
            count: number;
            job_type_id: number;
          }[];
          total: number;
        };
        system: {
          by_job_type: {
            count: number;
            job_type_id: number;
          }[];
          total: number;
        };
        total: number;
      };
      running: {
        by_job_type: {
          count: number;
          job_type_id: number;
        }[];
        total: number;
      };
    };
    StatusNode: {
      agent_id: string | null;
      errors: components["schemas"]["StatusCondition"][];
      hostname: string;
      id: number;
      is_active: boolean;
      /** @description Completed and failed ones are those of the last 3 hours. */
      job_executions: components["schemas"]["StatusJobExecutions"];
      /** @description What its agent does for the node: pulls, clean-ups. */
      node_tasks: {
        count: number;
        description: string;
        title: string;
        type: string;
      }[];
      /** @description 1 while it can take jobs and has something left. */
      num_offers: number;
      /** @description cpus in cores; mem and disk in MiB; gpus in units. */
      resources: components["schemas"]["StatusResources"];
      state: {
        description: string;
        name: string;
        title: string;
      };
      /** @description Monitors, listings and ingests that run there. */
      system_tasks: {
        count: number;
        description: string;
        title: string;
        type: string;
      }[];
      warnings: components["schemas"]["StatusCondition"][];
    };
    StatusResources: {
      cpus: {
        /** @description Left on a node that takes no jobs now, and may be offered later. */
        free: number;
        /** @description Can be given to jobs now. */
        offered: number;
        /** @description Held by running executions. */
        running: number;
        /** @description What the host has in all. */
        total: number;
        /** @description Used by other programs, kept for the host, or of a node that is offline or not active. */
        unavailable: number;
      };
      disk: {
        /** @description Left on a node that takes no jobs now, and may be offered later. */
        free: number;
        /** @description Can be given to jobs now. */
        offered: number;
        /** @description Held by running executions. */
        running: number;
        /** @description What the host has in all. */
        total: number;
        /** @description Used by other programs, kept for the host, or of a node that is offline or not active. */
        unavailable: number;
      };
      gpus: {
        /** @description Left on a node that takes no jobs now, and may be offered later. */
        free: number;
        /** @description Can be given to jobs now. */
        offered: number;
        /** @description Held by running executions. */
        running: number;
        /** @description What the host has in all. */
        total: number;
        /** @description Used by other programs, kept for the host, or of a node that is offline or not active. */
        unavailable: number;
      };
      mem: {
        /** @description Left on a node that takes no jobs now, and may be offered later. */
        free: number;
        /** @description Can be given to jobs now. */
        offered: number;
        /** @description Held by running executions. */
        running: number;
        /** @description What the host has in all. */
        total: number;
        /** @description Used by other programs, kept for the host, or of a node that is offline or not active. */
        unavailable: number;
      };
    } & {
      [key: string]: {
        /** @description Left on a node that takes no jobs now, and may be offered later. */
        free: number;
        /** @description Can be given to jobs now. */
        offered: number;
        /** @description Held by running executions. */
        running: number;
        /** @description What the host has in all. */
        total: number;
        /** @description Used by other programs, kept for the host, or of a node that is offline or not active. */
        unavailable: number;
      };
    };
    StoredFile: {
      batch: components["schemas"]["BatchSummary"] | null;
      center_point: string | null;
      countries: string[];
      /** Format: date-time */
      created: string;
      data_ended: string | null;
      data_started: string | null;
      data_type_tags: string[];
      deleted: string | null;
      file_name: string;
      /** @description Relative to the workspace. */
      file_path: string;
      /** @description Bytes. */
      file_size: number;
      /** @enum {string} */
      file_type: "SOURCE" | "PRODUCT";
      geometry: string | null;
      id: number;
      is_deleted: boolean;
      is_superseded: boolean;
      job: components["schemas"]["IdRef"] | null;
      job_exe: components["schemas"]["IdRef"] | null;
      job_output: string | null;
      job_type: components["schemas"]["JobTypeSummary"] | null;
      /** Format: date-time */
      last_modified: string;
      media_type: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      recipe: components["schemas"]["IdRef"] | null;
      recipe_node: string | null;
      recipe_type: components["schemas"]["RecipeTypeSummary"] | null;
      source_collection: string | null;
      source_ended: string | null;
      source_sensor: string | null;
      source_sensor_class: string | null;
      source_started: string | null;
      source_task: string | null;
      superseded: string | null;
      /** @description Where the content can be downloaded. */
      url: string;
      /** @description The same for every version of a product. */
      uuid: string;
      workspace: components["schemas"]["WorkspaceRef"];
    };
    StoredFileDetails: {
      ancestors: {
        /** @description The inputs of the job that made it; at most 1,000. */
        parents: components["schemas"]["FileAncestor"][];
        /** @description The source files it descends from; at most 1,000. */
        sources: components["schemas"]["FileAncestor"][];
      };
      batch: components["schemas"]["BatchSummary"] | null;
      center_point: string | null;
      countries: string[];
      /** Format: date-time */
      created: string;
      data_ended: string | null;
      data_started: string | null;
      data_type_tags: string[];
      deleted: string | null;
      file_name: string;
      /** @description Relative to the workspace. */
      file_path: string;
      /** @description Bytes. */
      file_size: number;
      /** @enum {string} */
      file_type: "SOURCE" | "PRODUCT";
      geometry: string | null;
      id: number;
      is_deleted: boolean;
      is_parsed: boolean;
      is_published: boolean;
      is_superseded: boolean;
      job: components["schemas"]["IdRef"] | null;
      job_exe: components["schemas"]["IdRef"] | null;
      job_output: string | null;
      job_type: components["schemas"]["JobTypeSummary"] | null;
      /** Format: date-time */
      last_modified: string;
      media_type: string;
      meta_data: Record<string, never>;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      parsed: string | null;
      recipe: components["schemas"]["IdRef"] | null;
      recipe_node: string | null;
      recipe_type: components["schemas"]["RecipeTypeSummary"] | null;
      sha256: string | null;
      source_collection: string | null;
      source_ended: string | null;
      source_sensor: string | null;
      source_sensor_class: string | null;
      source_started: string | null;
      source_task: string | null;
      superseded: string | null;
      /** @description Where the content can be downloaded. */
      url: string;
      /** @description The same for every version of a product. */
      uuid: string;
      workspace: components["schemas"]["WorkspaceRef"];
    };
    StoredFilePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["StoredFile"][];
    };
    /** A Seed manifest with all defaults */
    StoredManifest: {
      job: {
        /** @description For people. */
        description: string;
        /** @description What exit codes mean. */
        errors?: {
          /** @description Whose fault it is: that of the job or of its data. Default: job. */
          category?: ("job" | "data") | null;
          /** @description The exit code; never 0. */
          code: number;
          /** @description For people. */
          description?: string | null;
          /** @description Default: from title and code. */
          name?: string | null;
          /** @description For people. */
          title?: string | null;
        }[] | null;
        interface?: components["schemas"]["SeedInterface"] | null;
        /** @description Of the job, such as `1.0.0`. */
        jobVersion: string;
        maintainer: {
          /** @description Their address. */
          email: string;
          /** @description A person or team. */
          name: string;
          /** @description Their organization. */
          organization?: string | null;
          /** @description Their telephone number. */
          phone?: string | null;
          /** @description Their web page. */
          url?: string | null;
        };
        /** @description Name and version together identify the job type. */
        name: string;
        /** @description Of its packaging, such as `1.0.0`. */
        packageVersion: string;
        resources?: {
          /** @description What a run needs. */
          scalar?: {
            /** @description Adds so many MiB for each MiB of input. */
            inputMultiplier?: number | null;
            /** @description `cpus`, `mem` and `disk` (MiB), `gpus`, `sharedmem`, or one that nodes offer. */
            name: string;
            /** @description The amount. */
            value: number;
          }[] | null;
        } | null;
        /** @description Words by which it is found. */
        tags?: string[] | null;
        /** @description Seconds after which a run has failed; 0 for types of the system, which have none. */
        timeout: number;
        /** @description The name that people read. */
        title: string;
      };
      /**
      * @description The version of the manifest form.
      * @enum {string}
      */
      seedVersion: "1.0.0";
    };
    StoredPath: {
      file_id: number | null;
      file_size: number;
      path: string;
      sha256: string;
    };
    Strike: {
      /** Format: date-time */
      created: string;
      description: string;
      id: number;
      /** @description A paused strike watches nothing and ingests nothing. */
      is_paused: boolean;
      job: components["schemas"]["ProcessJob"];
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      reason: string | null;
      /**
      * @description Whether it watches. WAITING: no node does at the moment; `reason` says why.
      * @enum {string}
      */
      state: "PAUSED" | "WATCHING" | "WAITING";
      title: string;
    };
    StrikeCheck: {
      /** @description What it watches, takes and starts. */
      configuration: components["schemas"]["StrikeConfiguration"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description The name of the strike whose change is checked. */
      name?: string;
      title: string;
    };
    StrikeCheckResult: {
      effects?: {
        /** @description Deferred files, which are tried again when the rules change; counted up to 100,000. */
        deferred_files: number;
        one_file: {
          jobs: number;
          jobs_without_figures: number;
          processor_hours: number | null;
          recipe_type: {
            id: number;
            name: string;
            revision_num: number;
          };
          /** @description The recipe itself and its sub-recipes. */
          recipes: number;
        } | null;
      } | null;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      errors: components["schemas"]["Problem"][];
      /** @description True: the same fields would be accepted by the create or edit call. */
      is_valid: boolean;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      warnings: components["schemas"]["Problem"][];
    };
    /**
    * What a strike watches, takes and starts
    * @example {
    *       "workspace": "arrivals",
    *       "monitor": {
    *         "type": "dir-watcher",
    *         "transfer_suffix": "_tmp"
    *       },
    *       "files_to_ingest": [
    *         {
    *           "filename_regex": ".*\\.txt$",
    *           "data_types": [
    *             "text"
    *           ],
    *           "new_workspace": "products",
    *           "new_file_path": "sources"
    *         }
    *       ],
    *       "recipe": {
    *         "name": "long-texts"
    *       }
    *     }
    * @example {
    *       "workspace": "uploads",
    *       "monitor": {
    *         "type": "objstore",
    *         "queue_name": "uploads.created"
    *       },
    *       "files_to_ingest": [
    *         {
    *           "filename_regex": ".*\\.tiff?$",
    *           "match": "path"
    *         }
    *       ],
    *       "recipe": {
    *         "name": "long-texts",
    *         "revision_num": 1
    *       }
    *     }
    */
    StrikeConfiguration: {
      /** @description The first rule that matches a file decides; a file that none matches is deferred. */
      files_to_ingest: {
        /** @description Labels that the file gets. */
        data_types?: string[] | null;
        /** @description Matches from the start of the name; end it with `$` to match the whole name. */
        filename_regex: string;
        /** @description What is matched. Default: the name. */
        match?: ("name" | "path") | null;
        /** @description A relative directory that it is moved to, into directories of the year, month and day. */
        new_file_path?: string | null;
        /** @description Where the file is moved to. Default: it stays. */
        new_workspace?: string | null;
        /** @description Without effect: details of ingests show it, so that it may be sent back. */
        workspace_name?: string | null;
        /** @description Without effect: details of ingests show it, so that it may be sent back. */
        workspace_path?: string | null;
      }[];
      monitor: components["schemas"]["DirWatcherMonitor"] | components["schemas"]["ObjstoreMonitor"];
      /** @description Without effect: details of ingests show it, so that it may be sent back. */
      mount?: string | null;
      /** @description Without effect: details of ingests show it, so that it may be sent back. */
      mount_on?: string | null;
      /** @description The recipe type that is started for each file. It has one required input, a file. */
      recipe: {
        /** @description The name of the recipe type, not its title. */
        name: string;
        /** @description Default: the newest. */
        revision_num?: (number | string) | null;
      };
      /** @description Without effect: details of ingests show it, so that it may be sent back. */
      transfer_suffix?: string | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
      /** @description The name of the workspace that is watched. */
      workspace: string;
    };
    /**
    * @example {
    *       "title": "Texts",
    *       "configuration": {
    *         "workspace": "arrivals",
    *         "monitor": {
    *           "type": "dir-watcher",
    *           "transfer_suffix": "_tmp"
    *         },
    *         "files_to_ingest": [
    *           {
    *             "filename_regex": ".*\\.txt$",
    *             "data_types": [
    *               "text"
    *             ],
    *             "new_workspace": "products",
    *             "new_file_path": "sources"
    *           }
    *         ],
    *         "recipe": {
    *           "name": "long-texts"
    *         }
    *       }
    *     }
    */
    StrikeCreate: {
      /** @description What it watches, takes and starts. */
      configuration: components["schemas"]["StrikeConfiguration"];
      description?: string;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description Default: derived from the title, with a suffix when that name is taken. */
      name?: string;
      title: string;
    };
    StrikeDetails: {
      /** @description Secrets are masked. */
      configuration: components["schemas"]["StrikeConfiguration"];
      /** Format: date-time */
      created: string;
      description: string;
      id: number;
      /** @description A paused strike watches nothing and ingests nothing. */
      is_paused: boolean;
      job: components["schemas"]["ProcessJob"];
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      reason: string | null;
      /**
      * @description Whether it watches. WAITING: no node does at the moment; `reason` says why.
      * @enum {string}
      */
      state: "PAUSED" | "WATCHING" | "WAITING";
      title: string;
    };
    StrikeEdit: {
      /** @description What it watches, takes and starts. */
      configuration?: components["schemas"]["StrikeConfiguration"];
      description?: string;
      /** @description Stops or resumes the strike. */
      is_paused?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      title?: string;
    };
    StrikePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Strike"][];
    };
    /** A node that runs a recipe */
    SubRecipeNode: {
      /** @enum {string} */
      node_type: "recipe";
      /** @description The name, not the title. */
      recipe_type_name: string;
      /** @description Default: the newest. */
      recipe_type_revision?: (number | string) | null;
    };
    SystemFailure: {
      count: number;
      error: components["schemas"]["RegisteredError"];
      first_error: string | null;
      job_type: components["schemas"]["JobTypeSummary"];
      last_error: string | null;
    };
    SystemFailurePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SystemFailure"][];
    };
    TriedName: {
      /** @description Why it is not taken, or starts no recipe. */
      causes: components["schemas"]["Cause"][];
      data_type_tags: string[];
      /** @description A complete file of this name would be ingested. */
      is_taken: boolean;
      media_type: string;
      name: string;
      path: string | null;
      recipe: {
        name: string;
        revision_num: number;
      } | null;
      rule: {
        filename_regex: string;
        /** @description In `files_to_ingest`, from 0. */
        index: number;
        /** @enum {string} */
        match: "name" | "path";
      } | null;
      workspace: string | null;
    };
    TriedNames: {
      /** @description What keeps it from finding any file now. */
      causes: components["schemas"]["Cause"][];
      id: number;
      /** @description In the order of the names. */
      results: components["schemas"]["TriedName"][];
    };
    TypeUpdate: {
      completed: string | null;
      /** Format: date-time */
      created: string;
      id: number;
      /**
      * @description Whether a job type or a recipe type has a new revision.
      * @enum {string}
      */
      kind: "job" | "recipe";
      /** Format: date-time */
      last_modified: string;
      /** @description Recipe types that keep their revision. */
      recipe_types_behind: number;
      recipe_types_raised: number;
      recipe_types_total: number;
      /** @description Recipe types that already had the revision or a newer one. */
      recipe_types_unchanged: number;
      /** @description The new revision. */
      revision_num: number;
      /** @enum {string} */
      status: "RUNNING" | "COMPLETED";
      type: {
        id: number;
        name: string;
        version: string | null;
      };
    };
    TypeUpdateDetails: {
      completed: string | null;
      /** Format: date-time */
      created: string;
      id: number;
      /**
      * @description Whether a job type or a recipe type has a new revision.
      * @enum {string}
      */
      kind: "job" | "recipe";
      /** Format: date-time */
      last_modified: string;
      /** @description Recipe types that stayed behind, by name; the first 1,000. */
      recipe_types: {
        id: number;
        name: string;
        /** @description Why it stayed behind. */
        reason: string;
        /** @description Its newest revision now. */
        revision_num: number;
        title: string;
      }[];
      /** @description Recipe types that keep their revision. */
      recipe_types_behind: number;
      recipe_types_raised: number;
      recipe_types_total: number;
      /** @description Recipe types that already had the revision or a newer one. */
      recipe_types_unchanged: number;
      /** @description The new revision. */
      revision_num: number;
      /** @enum {string} */
      status: "RUNNING" | "COMPLETED";
      type: {
        id: number;
        name: string;
        version: string | null;
      };
    };
    TypeUpdatePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["TypeUpdate"][];
    };
    UnreachedWorkspace: {
      id: number;
      name: string;
      reason: string | null;
      title: string;
    };
    UnreachedWorkspacePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["UnreachedWorkspace"][];
    };
    UnrecordedFiles: {
      /** @description How many files of the workspace were compared with the records. */
      checked_count: number;
      next_after: string | null;
      /** @description Files without a record, in the order of paths. */
      results: {
        /**
        * Format: date-time
        * @description When its content was last written. A time outside the years 1 to 9999 is the nearest within.
        */
        file_modified: string;
        file_path: string;
        /** @description In bytes. */
        file_size: number;
      }[];
    };
    Upload: {
      /**
      * Format: date-time
      * @description When the upload is removed, unless more of it is sent.
      */
      expires: string;
      file_id: number | null;
      file_size: number;
      /** @description The file is at its path. */
      is_stored: boolean;
      /** @description Bytes that are on disk. */
      offset: number;
      /** @description Where the file is stored when it is complete. */
      path: string;
      sha256: string | null;
    };
    UsedFigure: {
      given: number | null;
      max: number;
      p50: number;
      p95: number;
    };
    ValidationResult: {
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      errors: components["schemas"]["Problem"][];
      /** @description True: the same fields would be accepted by the create or edit call. */
      is_valid: boolean;
      /** @description Every problem; of more than 100 the first, and last how many more there are. */
      warnings: components["schemas"]["Problem"][];
    };
    Version: {
      /** @description A semantic version. */
      version: string;
    };
    WorkEstimate: {
      jobs: number;
      jobs_without_figures: number;
      processor_hours: number | null;
      /** @description The recipe itself and its sub-recipes. */
      recipes: number;
    };
    Workspace: {
      base_url: string | null;
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      id: number;
      is_active: boolean;
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      title: string;
    };
    WorkspaceCheck: {
      base_url?: string | null;
      /** @description Where its files are. */
      configuration: components["schemas"]["WorkspaceConfiguration"];
      description?: string;
      is_active?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description The name of the workspace whose change is checked. */
      name?: string;
      title: string;
    };
    /**
    * Where the files of a workspace are
    * @example {
    *       "broker": {
    *         "type": "host",
    *         "host_path": "/data/arrivals"
    *       }
    *     }
    * @example {
    *       "broker": {
    *         "type": "host",
    *         "host_path": "/data/products"
    *       }
    *     }
    * @example {
    *       "broker": {
    *         "type": "objstore",
    *         "bucket_name": "uploads",
    *         "endpoint": "https://store.example:9000",
    *         "credentials": {
    *           "access_key_id": "key",
    *           "secret_access_key": "secret"
    *         }
    *       }
    *     }
    * @example {
    *       "broker": {
    *         "type": "nfs",
    *         "nfs_path": "files.example:/exports/shelf"
    *       }
    *     }
    */
    WorkspaceConfiguration: {
      broker: components["schemas"]["HostBroker"] | components["schemas"]["NfsBroker"] | components["schemas"]["ObjstoreBroker"];
      /** @description What `/v6/workspaces/{name}/files/` does for staff besides serving recorded files: `read` serves any file, `write` also stores new files. Default: none. */
      http?: ("none" | "read" | "write") | null;
      /** @description The version of the form; without effect. */
      version?: ("6" | "7") | null;
      /** @description Without effect. */
      workspace?: string | null;
    };
    /**
    * @example {
    *       "title": "Arrivals",
    *       "configuration": {
    *         "broker": {
    *           "type": "host",
    *           "host_path": "/data/arrivals"
    *         }
    *       }
    *     }
    * @example {
    *       "title": "Products",
    *       "configuration": {
    *         "broker": {
    *           "type": "host",
    *           "host_path": "/data/products"
    *         }
    *       }
    *     }
    * @example {
    *       "title": "Uploads",
    *       "configuration": {
    *         "broker": {
    *           "type": "objstore",
    *           "bucket_name": "uploads",
    *           "endpoint": "https://store.example:9000",
    *           "credentials": {
    *             "access_key_id": "key",
    *             "secret_access_key": "secret"
    *           }
    *         }
    *       }
    *     }
    */
    WorkspaceCreate: {
      base_url?: string | null;
      /** @description Where its files are. */
      configuration: components["schemas"]["WorkspaceConfiguration"];
      description?: string;
      is_active?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      /** @description Default: derived from the title, with a suffix when that name is taken. */
      name?: string;
      title: string;
    };
    WorkspaceDetails: {
      base_url: string | null;
      /** @description Secrets are masked. */
      configuration: components["schemas"]["WorkspaceConfiguration"];
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      id: number;
      is_active: boolean;
      /** @description Keys and values that people chose. */
      labels: {
        [key: string]: string;
      };
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      /** @description Each change of the record adds one. `/v6/changes/` returns the changes. */
      object_version: number;
      reason: string | null;
      title: string;
    };
    WorkspaceEdit: {
      base_url?: string | null;
      /** @description Where its files are. */
      configuration?: components["schemas"]["WorkspaceConfiguration"];
      description?: string;
      is_active?: boolean;
      /** @description All labels of the record; an edit replaces those it had. Default: none. */
      labels?: {
        [key: string]: string;
      };
      title?: string;
    };
    WorkspacePage: {
      /** @description Matches in all pages. */
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Workspace"][];
    };
    WorkspaceRef: {
      id: number;
      name: string;
    };
    WorkspaceSummary: {
      base_url: string | null;
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      id: number;
      is_active: boolean;
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      title: string;
    };
    WorkspaceWithSettings: {
      base_url: string | null;
      /** Format: date-time */
      created: string;
      deprecated: string | null;
      description: string;
      id: number;
      is_active: boolean;
      /** @description Its configuration, secrets masked. */
      json_config: components["schemas"]["WorkspaceConfiguration"];
      /** Format: date-time */
      last_modified: string;
      /** @description Never changed. */
      name: string;
      title: string;
    };
  };
  responses: {
    /** @description Something in the path, the query or the body is wrong; `errors` lists all of it. */
    BadRequest: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The state of the record, its name, or a request under the same key does not allow it. */
    Conflict: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The account, the token, the host or the origin may not do this. */
    Forbidden: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description What was asked for is no longer kept; `detail` says how to continue. */
    Gone: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description There is no such record. */
    NotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body has more bytes than `x-bytes-max`. */
    TooLarge: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Too many requests; see `Retry-After`. */
    TooManyRequests: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description No account is known for the request. */
    Unauthorized: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The `Idempotency-Key` was used with another body. */
    Unprocessable: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body does not have the media type of the call. */
    UnsupportedMediaType: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getStart: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Start"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listAccounts: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Active only, or inactive only. */
        is_active?: boolean;
        /** @description Staff only, or others only. */
        is_staff?: boolean;
        /** @description Field to sort by; `-` before it reverses. Default: username. */
        order?: ("id" | "-id" | "username" | "-username" | "first_name" | "-first_name" | "last_name" | "-last_name" | "email" | "-email" | "is_staff" | "-is_staff" | "is_active" | "-is_active" | "created" | "-created" | "last_login" | "-last_login" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Names, whatever their case. */
        username?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccountPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createAccount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AccountCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getAccount: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editAccount: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AccountEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createAccountPassword: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PasswordChange"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getAccountsProfile: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Profile"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listActivity: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 31 days. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ActivityPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listAudit: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Methods. */
        method?: ("POST" | "PATCH" | "PUT" | "DELETE")[];
        /** @description Field to sort by; `-` before it reverses. Default: -at. */
        order?: ("id" | "-id" | "at" | "-at")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Paths as documented, such as `/v6/jobs/{id}/`. */
        route?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
        /** @description Names of accounts, whatever their case. */
        username?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AuditEntryPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listBatches: {
    parameters: {
      query?: {
        /** @description Ids of batches. */
        batch_id?: number[];
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: only batches that have all their recipes; false: only the others. */
        is_creation_done?: boolean;
        /** @description True: only superseded batches; false: only the others. */
        is_superseded?: boolean;
        /** @description Part of the title or description, in any case. */
        keyword?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: id. */
        order?: ("id" | "-id" | "title" | "-title" | "description" | "-description" | "recipe_type__id" | "-recipe_type__id" | "recipe_type__name" | "-recipe_type__name" | "recipe_type__title" | "-recipe_type__title" | "recipe_type__description" | "-recipe_type__description" | "recipe_type__revision_num" | "-recipe_type__revision_num" | "recipe_type_rev__id" | "-recipe_type_rev__id" | "recipe_type_rev__recipe_type__id" | "-recipe_type_rev__recipe_type__id" | "recipe_type_rev__revision_num" | "-recipe_type_rev__revision_num" | "status" | "-status" | "event__id" | "-event__id" | "event__type" | "-event__type" | "event__rule" | "-event__rule" | "event__occurred" | "-event__occurred" | "is_superseded" | "-is_superseded" | "root_batch__id" | "-root_batch__id" | "root_batch__title" | "-root_batch__title" | "root_batch__description" | "-root_batch__description" | "root_batch__created" | "-root_batch__created" | "superseded_batch__id" | "-superseded_batch__id" | "superseded_batch__title" | "-superseded_batch__title" | "superseded_batch__description" | "-superseded_batch__description" | "superseded_batch__created" | "-superseded_batch__created" | "is_creation_done" | "-is_creation_done" | "jobs_total" | "-jobs_total" | "jobs_pending" | "-jobs_pending" | "jobs_blocked" | "-jobs_blocked" | "jobs_queued" | "-jobs_queued" | "jobs_running" | "-jobs_running" | "jobs_failed" | "-jobs_failed" | "jobs_completed" | "-jobs_completed" | "jobs_canceled" | "-jobs_canceled" | "recipes_estimated" | "-recipes_estimated" | "recipes_total" | "-recipes_total" | "recipes_completed" | "-recipes_completed" | "created" | "-created" | "superseded" | "-superseded" | "last_modified" | "-last_modified" | "recipe_type" | "-recipe_type")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Ids of recipe types. */
        recipe_type_id?: number[];
        /** @description Ids of the batches that chains began with. */
        root_batch_id?: number[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BatchPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createBatch: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BatchCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BatchDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getBatch: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BatchDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteBatch: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editBatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BatchEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listBatchFailures: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FailureGroupPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getBatchesComparison: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BatchComparison"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateBatch: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BatchCreate"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BatchValidationResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getChanges: {
    parameters: {
      query?: {
        /** @description A `cursor`; `0` is the oldest change that is kept. Without it the page is empty, and its cursor continues from now. */
        after?: string;
        /** @description Ids of batches: the batches, and what belongs to them. */
        batch_id?: number[];
        /** @description Ids of the objects themselves, of any kind that is chosen. */
        id?: number[];
        /** @description Ids of jobs: the jobs, their executions, and their products. */
        job_id?: number[];
        /** @description Names of job types: the types, their jobs, and what belongs to these jobs. */
        job_type_name?: string[];
        /** @description Kinds of objects. */
        kind?: ("file" | "ingest" | "job" | "execution" | "recipe" | "condition" | "batch" | "scan" | "strike" | "dataset" | "node" | "job_type" | "recipe_type" | "workspace" | "purge" | "scheduler" | "failure_note")[];
        /** @description The most changes in the page; 100 when not given. */
        limit?: number;
        /** @description Ids of nodes: the nodes, and what runs or ran on them. */
        node_id?: number[];
        /** @description Ids of recipes: the recipes, and what belongs to them. */
        recipe_id?: number[];
        /** @description Names of recipe types: the types, their recipes, and what belongs to these. */
        recipe_type_name?: string[];
        /** @description Ids of scans: the scans, and what belongs to them. */
        scan_id?: number[];
        /** @description Statuses that objects have since the change. */
        status?: ("PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED" | "TRANSFERRING" | "TRANSFERRED" | "DEFERRED" | "INGESTING" | "INGESTED" | "ERRORED" | "DUPLICATE" | "OPEN" | "ACCEPTED" | "REJECTED" | "CREATING" | "CREATED" | "IDLE" | "INGEST" | "DRY_RUN" | "WAITING" | "ACTIVE" | "INACTIVE" | "PAUSED" | "ONLINE" | "OFFLINE")[];
        /** @description Ids of strikes: the strikes, and what belongs to them. */
        strike_id?: number[];
        /** @description What the change is. */
        what?: ("created" | "status" | "edited" | "superseded" | "published" | "unpublished" | "deleted" | "removed")[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangePage"];
          "text/event-stream": string;
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      410: components["responses"]["Gone"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listDatasets: {
    parameters: {
      query?: {
        /** @description Ids of datasets. */
        dataset_id?: number[];
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description The same as `dataset_id`. */
        id?: number[];
        /** @description Part of the title or description, in any case. */
        keyword?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: id. */
        order?: ("id" | "-id" | "created" | "-created" | "title" | "-title" | "description" | "-description" | "files" | "-files")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DatasetPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createDataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DatasetCreate"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DataValues"][] | {
            /** @description Nothing was found, and nothing stored. */
            "No Results": string;
          };
        };
      };
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DatasetDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getDataset: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DatasetDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  addToDataset: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DatasetMembersCreate"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DataValues"][] | {
            /** @description Nothing was found, and nothing stored. */
            "No Results": string;
          };
        };
      };
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DatasetMember"][];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteDataset: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getDatasetComparison: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DatasetComparison"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listDatasetMembers: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ListedDatasetMemberPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getDatasetsMember: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DatasetMemberDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateDataset: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DatasetCreate"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ValidationResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  startJobBake: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiagnosticRequest"];
      };
    };
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  startJobCount: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiagnosticRequest"];
      };
    };
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  startJobHello: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiagnosticRequest"];
      };
    };
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  startJobRoulette: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiagnosticRequest"];
      };
    };
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  startRecipeCasino: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiagnosticRequest"];
      };
    };
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listErrors: {
    parameters: {
      query?: {
        /** @description Its category. */
        category?: "SYSTEM" | "ALGORITHM" | "DATA";
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Only those of the installation, or only those of job types. */
        is_builtin?: boolean;
        /** @description Name of the job type, of any version, that declares it. */
        job_type_name?: string;
        /** @description Its name. */
        name?: string;
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "name" | "-name" | "title" | "-title" | "description" | "-description" | "job_type_name" | "-job_type_name" | "category" | "-category" | "is_builtin" | "-is_builtin" | "should_be_retried" | "-should_be_retried" | "created" | "-created" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RegisteredErrorPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getError: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RegisteredError"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listFailures: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: only groups that are marked as known; false: only the others. */
        is_known?: boolean;
        /** @description Ids of job types. */
        job_type_id?: number[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 31 days. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FailureGroupPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editFailure: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        error_id: number;
        job_type_id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FailureNote"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listFiles: {
    parameters: {
      query?: {
        /** @description Batches. */
        batch_id?: number[];
        /** @description ISO3 codes. */
        countries?: string[];
        /** @description End of the range, in the same two forms. Default: now. */
        created_ended?: string;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        created_started?: string;
        /** @description End of the range, in the same two forms. Default: now. */
        data_ended?: string;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        data_started?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Whole names. */
        file_name?: string[];
        /** @description Part of the name, in any case. */
        file_name_search?: string;
        /** @description Types of files. */
        file_type?: ("SOURCE" | "PRODUCT")[];
        /** @description Jobs that made the files. */
        job_id?: number[];
        /** @description Names of outputs. */
        job_output?: string[];
        /** @description Job types. */
        job_type_id?: number[];
        /** @description Names of job types, whatever their version. */
        job_type_name?: string[];
        /** @description Media types. */
        media_type?: string[];
        /** @description End of the range, in the same two forms. Default: now. */
        modified_ended?: string;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        modified_started?: string;
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "workspace__id" | "-workspace__id" | "workspace__name" | "-workspace__name" | "file_name" | "-file_name" | "file_type" | "-file_type" | "uuid" | "-uuid" | "media_type" | "-media_type" | "file_size" | "-file_size" | "file_path" | "-file_path" | "is_deleted" | "-is_deleted" | "url" | "-url" | "created" | "-created" | "deleted" | "-deleted" | "data_started" | "-data_started" | "data_ended" | "-data_ended" | "geometry" | "-geometry" | "center_point" | "-center_point" | "last_modified" | "-last_modified" | "source_started" | "-source_started" | "source_ended" | "-source_ended" | "source_sensor_class" | "-source_sensor_class" | "source_sensor" | "-source_sensor" | "source_collection" | "-source_collection" | "source_task" | "-source_task" | "job__id" | "-job__id" | "job_exe__id" | "-job_exe__id" | "job_output" | "-job_output" | "job_type__id" | "-job_type__id" | "job_type__name" | "-job_type__name" | "job_type__version" | "-job_type__version" | "job_type__title" | "-job_type__title" | "job_type__description" | "-job_type__description" | "job_type__is_active" | "-job_type__is_active" | "job_type__is_paused" | "-job_type__is_paused" | "job_type__is_published" | "-job_type__is_published" | "job_type__icon_code" | "-job_type__icon_code" | "job_type__unmet_resources" | "-job_type__unmet_resources" | "job_type__is_system" | "-job_type__is_system" | "recipe__id" | "-recipe__id" | "recipe_node" | "-recipe_node" | "recipe_type__id" | "-recipe_type__id" | "recipe_type__name" | "-recipe_type__name" | "recipe_type__title" | "-recipe_type__title" | "recipe_type__description" | "-recipe_type__description" | "recipe_type__revision_num" | "-recipe_type__revision_num" | "batch__id" | "-batch__id" | "batch__title" | "-batch__title" | "batch__description" | "-batch__description" | "batch__created" | "-batch__created" | "is_superseded" | "-is_superseded" | "superseded" | "-superseded")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Recipes. */
        recipe_id?: number[];
        /** @description Nodes of recipes. */
        recipe_node?: string[];
        /** @description Recipe types. */
        recipe_type_id?: number[];
        /** @description Collections. */
        source_collection?: string[];
        /** @description End of the range, in the same two forms. Default: now. */
        source_ended?: string;
        /** @description Sensors. */
        source_sensor?: string[];
        /** @description Classes of sensors. */
        source_sensor_class?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        source_started?: string;
        /** @description Tasks that produced the source data. */
        source_task?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoredFilePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getFile: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoredFileDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getFileContent: {
    parameters: {
      query?: {
        /** @description True: no redirect; the bytes pass through this coordinator. */
        stream?: boolean;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "*/*": string;
        };
      };
      /** @description The range that was asked for. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "*/*": string;
        };
      };
      /** @description Found elsewhere; see `Location`. */
      307: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      /** @description Outside the content, whose size `Content-Range` gives; there is no body. */
      416: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getFileLineage: {
    parameters: {
      query?: {
        /** @description From `rim`: only jobs with higher ids that took this file as input. */
        after?: number;
        /** @description Jobs between the file and the farthest ones; 3 when absent. */
        depth?: number;
        /** @description `both` when absent. */
        direction?: "ancestors" | "descendants" | "both";
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Lineage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  purgeSourceFiles: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PurgeSource"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PurgePreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getFilesWhy: {
    parameters: {
      query: {
        /** @description Path in the workspace, without the transfer suffix. */
        path: string;
        /** @description Name of the workspace. */
        workspace: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FileWhy"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getFlow: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 7 days. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Flow"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listIngests: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Part of the file name. */
        file_name?: string;
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "file_name" | "-file_name" | "status" | "-status" | "reason" | "-reason" | "bytes_transferred" | "-bytes_transferred" | "transfer_started" | "-transfer_started" | "transfer_ended" | "-transfer_ended" | "media_type" | "-media_type" | "file_size" | "-file_size" | "file_path" | "-file_path" | "new_file_path" | "-new_file_path" | "scan__id" | "-scan__id" | "scan__name" | "-scan__name" | "scan__title" | "-scan__title" | "scan__description" | "-scan__description" | "scan__job__id" | "-scan__job__id" | "scan__dry_run_job__id" | "-scan__dry_run_job__id" | "strike__id" | "-strike__id" | "strike__name" | "-strike__name" | "strike__title" | "-strike__title" | "strike__description" | "-strike__description" | "strike__job__id" | "-strike__job__id" | "workspace__id" | "-workspace__id" | "workspace__name" | "-workspace__name" | "workspace__title" | "-workspace__title" | "workspace__description" | "-workspace__description" | "workspace__base_url" | "-workspace__base_url" | "workspace__is_active" | "-workspace__is_active" | "workspace__created" | "-workspace__created" | "workspace__deprecated" | "-workspace__deprecated" | "workspace__last_modified" | "-workspace__last_modified" | "new_workspace__id" | "-new_workspace__id" | "new_workspace__name" | "-new_workspace__name" | "new_workspace__title" | "-new_workspace__title" | "new_workspace__description" | "-new_workspace__description" | "new_workspace__base_url" | "-new_workspace__base_url" | "new_workspace__is_active" | "-new_workspace__is_active" | "new_workspace__created" | "-new_workspace__created" | "new_workspace__deprecated" | "-new_workspace__deprecated" | "new_workspace__last_modified" | "-new_workspace__last_modified" | "job__id" | "-job__id" | "ingest_started" | "-ingest_started" | "ingest_ended" | "-ingest_ended" | "source_file__id" | "-source_file__id" | "source_file__workspace__id" | "-source_file__workspace__id" | "source_file__workspace__name" | "-source_file__workspace__name" | "source_file__file_name" | "-source_file__file_name" | "source_file__file_type" | "-source_file__file_type" | "source_file__uuid" | "-source_file__uuid" | "source_file__media_type" | "-source_file__media_type" | "source_file__file_size" | "-source_file__file_size" | "source_file__file_path" | "-source_file__file_path" | "source_file__is_deleted" | "-source_file__is_deleted" | "source_file__url" | "-source_file__url" | "source_file__created" | "-source_file__created" | "source_file__deleted" | "-source_file__deleted" | "source_file__data_started" | "-source_file__data_started" | "source_file__data_ended" | "-source_file__data_ended" | "source_file__geometry" | "-source_file__geometry" | "source_file__center_point" | "-source_file__center_point" | "source_file__last_modified" | "-source_file__last_modified" | "source_file__is_parsed" | "-source_file__is_parsed" | "source_file__parsed" | "-source_file__parsed" | "data_started" | "-data_started" | "data_ended" | "-data_ended" | "created" | "-created" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Scans. */
        scan_id?: number[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
        /** @description Statuses. */
        status?: ("TRANSFERRING" | "TRANSFERRED" | "DEFERRED" | "INGESTING" | "INGESTED" | "ERRORED" | "DUPLICATE" | "QUEUED")[];
        /** @description Strikes. */
        strike_id?: number[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IngestPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getIngest: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IngestDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listIngestJobs: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Field to sort by; `-` before it reverses. Default: id. */
        order?: ("id" | "-id" | "job_type__id" | "-job_type__id" | "job_type__name" | "-job_type__name" | "job_type__version" | "-job_type__version" | "job_type__title" | "-job_type__title" | "job_type__description" | "-job_type__description" | "job_type__is_active" | "-job_type__is_active" | "job_type__is_paused" | "-job_type__is_paused" | "job_type__is_published" | "-job_type__is_published" | "job_type__icon_code" | "-job_type__icon_code" | "job_type__unmet_resources" | "-job_type__unmet_resources" | "job_type__is_system" | "-job_type__is_system" | "job_type_rev__id" | "-job_type_rev__id" | "job_type_rev__job_type__id" | "-job_type_rev__job_type__id" | "job_type_rev__revision_num" | "-job_type_rev__revision_num" | "event__id" | "-event__id" | "event__type" | "-event__type" | "event__rule" | "-event__rule" | "event__occurred" | "-event__occurred" | "recipe__id" | "-recipe__id" | "recipe__recipe_type__id" | "-recipe__recipe_type__id" | "recipe__recipe_type__name" | "-recipe__recipe_type__name" | "recipe__recipe_type__title" | "-recipe__recipe_type__title" | "recipe__recipe_type__description" | "-recipe__recipe_type__description" | "recipe__recipe_type__revision_num" | "-recipe__recipe_type__revision_num" | "recipe__recipe_type_rev__id" | "-recipe__recipe_type_rev__id" | "recipe__event__id" | "-recipe__event__id" | "batch__id" | "-batch__id" | "batch__title" | "-batch__title" | "batch__description" | "-batch__description" | "batch__created" | "-batch__created" | "is_superseded" | "-is_superseded" | "status" | "-status" | "node__id" | "-node__id" | "node__hostname" | "-node__hostname" | "error__id" | "-error__id" | "error__name" | "-error__name" | "error__title" | "-error__title" | "error__description" | "-error__description" | "error__job_type_name" | "-error__job_type_name" | "error__category" | "-error__category" | "error__is_builtin" | "-error__is_builtin" | "error__should_be_retried" | "-error__should_be_retried" | "error__created" | "-error__created" | "error__last_modified" | "-error__last_modified" | "reason" | "-reason" | "num_exes" | "-num_exes" | "input_file_size" | "-input_file_size" | "source_started" | "-source_started" | "source_ended" | "-source_ended" | "source_sensor_class" | "-source_sensor_class" | "source_sensor" | "-source_sensor" | "source_collection" | "-source_collection" | "source_task" | "-source_task" | "created" | "-created" | "queued" | "-queued" | "started" | "-started" | "ended" | "-ended" | "last_status_change" | "-last_status_change" | "superseded" | "-superseded" | "last_modified" | "-last_modified" | "superseded_job__id" | "-superseded_job__id" | "max_tries" | "-max_tries" | "duration" | "-duration" | "job_type" | "-job_type" | "node" | "-node" | "recipe" | "-recipe")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listIngestsStatus: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 31 days. */
        started?: string;
        /** @description True: counts files by when they were ingested. Default: by when their data begins. */
        use_ingest_time?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IngestStatusPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJobExecutionLog: {
    parameters: {
      query?: {
        /** @description True: sends output as it is written, until the execution has ended. Only for `stdout` or `stderr`, as text. */
        follow?: boolean;
        /** @description Form of the answer; as `Accept` says if not given. */
        format?: "json" | "txt" | "html";
        /** @description The first byte to send. Only for `stdout` or `stderr`, as text. */
        offset?: number;
        /** @description Only what was written since this instant, or since this duration ago. */
        started?: string;
      };
      header?: never;
      path: {
        id: number;
        stream: "stdout" | "stderr" | "combined";
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LogLines"];
          "text/html": string;
          "text/plain": string;
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypeNames: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of job types. */
        id?: number[];
        /** @description True: active; false: deprecated. */
        is_active?: boolean;
        /** @description True: system types; false: those of users. */
        is_system?: boolean;
        /** @description Part of the name or of a tag. */
        keyword?: string[];
        /** @description `key:value`, or `key` for any value. Of the values of one key any may match; each key must. */
        label?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: name. */
        order?: ("id" | "-id" | "name" | "-name" | "title" | "-title" | "description" | "-description" | "icon_code" | "-icon_code" | "is_published" | "-is_published" | "latest_version" | "-latest_version")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeNamePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypes: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of job types. */
        id?: number[];
        /** @description True: active; false: deprecated. */
        is_active?: boolean;
        /** @description True: system types; false: those of users. */
        is_system?: boolean;
        /** @description Part of the name or of a tag. */
        keyword?: string[];
        /** @description `key:value`, or `key` for any value. Of the values of one key any may match; each key must. */
        label?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: name. */
        order?: ("id" | "-id" | "name" | "-name" | "version" | "-version" | "title" | "-title" | "description" | "-description" | "icon_code" | "-icon_code" | "is_published" | "-is_published" | "is_active" | "-is_active" | "is_paused" | "-is_paused" | "is_system" | "-is_system" | "max_scheduled" | "-max_scheduled" | "revision_num" | "-revision_num" | "container_image" | "-container_image" | "unmet_resources" | "-unmet_resources" | "created" | "-created" | "deprecated" | "-deprecated" | "paused" | "-paused" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createJobType: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobTypeCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypeByName: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: active; false: deprecated. */
        is_active?: boolean;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypePage"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJobType: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteJobType: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        name: string;
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editJobType: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
        version: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobTypeEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypeRevisions: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path: {
        name: string;
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeRevisionPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJobTypeRevision: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
        revision_num: number;
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeRevisionDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJobTypeUsed: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeUsed"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypesPending: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PendingJobTypePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypesRunning: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RunningJobTypePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypesStatus: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: active types; false: deprecated ones. */
        is_active?: boolean;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 31 days. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeStatusPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobTypesSystemFailures: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SystemFailurePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createJobTypesTry: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobTypeTry"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateJobType: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobTypeValidation"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTypeValidationResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobs: {
    parameters: {
      query?: {
        /** @description Ids of batches of the recipes that contain the jobs, or have taken them over. */
        batch_id?: number[];
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Categories of errors. */
        error_category?: ("SYSTEM" | "DATA" | "ALGORITHM")[];
        /** @description Ids of errors. */
        error_id?: number[];
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: only superseded jobs; false: only the others. */
        is_superseded?: boolean;
        /** @description Ids of jobs. */
        job_id?: number[];
        /** @description Ids of job types. */
        job_type_id?: number[];
        /** @description Names of job types. */
        job_type_name?: string[];
        /** @description Versions of job types. */
        job_type_version?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "job_type__id" | "-job_type__id" | "job_type__name" | "-job_type__name" | "job_type__version" | "-job_type__version" | "job_type__title" | "-job_type__title" | "job_type__description" | "-job_type__description" | "job_type__is_active" | "-job_type__is_active" | "job_type__is_paused" | "-job_type__is_paused" | "job_type__is_published" | "-job_type__is_published" | "job_type__icon_code" | "-job_type__icon_code" | "job_type__unmet_resources" | "-job_type__unmet_resources" | "job_type__is_system" | "-job_type__is_system" | "job_type_rev__id" | "-job_type_rev__id" | "job_type_rev__job_type__id" | "-job_type_rev__job_type__id" | "job_type_rev__revision_num" | "-job_type_rev__revision_num" | "event__id" | "-event__id" | "event__type" | "-event__type" | "event__rule" | "-event__rule" | "event__occurred" | "-event__occurred" | "recipe__id" | "-recipe__id" | "recipe__recipe_type__id" | "-recipe__recipe_type__id" | "recipe__recipe_type__name" | "-recipe__recipe_type__name" | "recipe__recipe_type__title" | "-recipe__recipe_type__title" | "recipe__recipe_type__description" | "-recipe__recipe_type__description" | "recipe__recipe_type__revision_num" | "-recipe__recipe_type__revision_num" | "recipe__recipe_type_rev__id" | "-recipe__recipe_type_rev__id" | "recipe__event__id" | "-recipe__event__id" | "batch__id" | "-batch__id" | "batch__title" | "-batch__title" | "batch__description" | "-batch__description" | "batch__created" | "-batch__created" | "is_superseded" | "-is_superseded" | "status" | "-status" | "node__id" | "-node__id" | "node__hostname" | "-node__hostname" | "error__id" | "-error__id" | "error__name" | "-error__name" | "error__title" | "-error__title" | "error__description" | "-error__description" | "error__job_type_name" | "-error__job_type_name" | "error__category" | "-error__category" | "error__is_builtin" | "-error__is_builtin" | "error__should_be_retried" | "-error__should_be_retried" | "error__created" | "-error__created" | "error__last_modified" | "-error__last_modified" | "reason" | "-reason" | "num_exes" | "-num_exes" | "input_file_size" | "-input_file_size" | "source_started" | "-source_started" | "source_ended" | "-source_ended" | "source_sensor_class" | "-source_sensor_class" | "source_sensor" | "-source_sensor" | "source_collection" | "-source_collection" | "source_task" | "-source_task" | "created" | "-created" | "queued" | "-queued" | "started" | "-started" | "ended" | "-ended" | "last_status_change" | "-last_status_change" | "superseded" | "-superseded" | "last_modified" | "-last_modified" | "superseded_job__id" | "-superseded_job__id" | "max_tries" | "-max_tries" | "duration" | "-duration" | "job_type" | "-job_type" | "node" | "-node" | "recipe" | "-recipe")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Ids of recipes that contain the jobs directly, or have taken them over. */
        recipe_id?: number[];
        /** @description Ids of nodes that run it now. */
        running_node_id?: number[];
        /** @description Collections of the source data. */
        source_collection?: string[];
        /** @description End of the range, in the same two forms. Default: now. */
        source_ended?: string;
        /** @description Sensors of the source data. */
        source_sensor?: string[];
        /** @description Sensor classes of the source data. */
        source_sensor_class?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        source_started?: string;
        /** @description Tasks of the source data. */
        source_task?: string[];
        /** @description The same as `source_task`. */
        source_tasks?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
        /** @description Statuses. */
        status?: ("PENDING" | "BLOCKED" | "QUEUED" | "RUNNING" | "FAILED" | "COMPLETED" | "CANCELED")[];
        /** @description `input`: PENDING jobs, without those of scans that nobody has started. `queue_lengths` counts the same. */
        waits_for?: "input"[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJob: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobExecutions: {
    parameters: {
      query?: {
        /** @description Categories of errors. */
        error_category?: ("SYSTEM" | "DATA" | "ALGORITHM")[];
        /** @description Ids of errors. */
        error_id?: number[];
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of nodes. */
        node_id?: number[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Statuses. */
        status?: ("RUNNING" | "COMPLETED" | "FAILED" | "CANCELED")[];
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobExecutionPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJobExecution: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        exe_num: number;
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobExecutionDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listJobInputFiles: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Whole names. */
        file_name?: string[];
        /** @description Names of inputs. */
        job_input?: string[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
        /** @description What `started` and `ended` are compared with; `last_modified` if not given. */
        time_field?: "last_modified" | "data" | "source";
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoredFilePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getJobWhy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobWhy"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  cancelJobs: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobCancel"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobRequestPreview"];
        };
      };
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  requeueJobs: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["JobRequeue"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobRequestPreview"];
        };
      };
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RequeueAccepted"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listLoad: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description How often jobs were counted, by default each hour. Minutes are kept for a day. */
        interval?: "hour" | "minute";
        /** @description Categories: tags of the job types. */
        job_type_category?: string[];
        /** @description Ids of job types. */
        job_type_id?: number[];
        /** @description Names of job types, of any version. */
        job_type_name?: string[];
        /** @description Priorities that the job types are configured with now. */
        job_type_priority?: number[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 31 days. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LoadItemPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  login: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Login"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LoggedIn"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  loginCodes: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LoginCodeCreate"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NewLoginCode"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  loginCodesDecision: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LoginCodeDecision"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  loginCodesLookup: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LoginCodeLookup"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["LoginCodeRequest"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  loginCodesToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LoginCodePoll"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NewAccessToken"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getLoginOpenid: {
    parameters: {
      query?: {
        /** @description The path to continue to; `/` when it is not one of this service. */
        next?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Found elsewhere; see `Location`. */
      302: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getLoginOpenidCallback: {
    parameters: {
      query?: {
        /** @description From the provider, which may add other parameters. */
        code?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Found elsewhere; see `Location`. */
      302: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  logout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listMetrics: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MetricsTypePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getMetric: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MetricsTypeDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listMetricPlotData: {
    parameters: {
      query?: {
        /** @description Ids of choices of the type. */
        choice_id?: number[];
        /** @description Names of columns. */
        column?: string[];
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Names of groups of columns. */
        group?: string[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MetricsPlotSeriesPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listNodes: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: only active nodes; false: only inactive ones. */
        is_active?: boolean;
        /** @description True: only paused nodes; false: only the others. */
        is_paused?: boolean;
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "hostname" | "-hostname" | "pause_reason" | "-pause_reason" | "is_paused" | "-is_paused" | "is_active" | "-is_active" | "deprecated" | "-deprecated" | "created" | "-created" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NodePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getNode: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Node"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NodeEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listNodesUse: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of nodes. Without it, all nodes together. */
        node_id?: number[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. The range has at most 31 days. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NodeUsePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  notify: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        queue_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NotificationTaken"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getOpenapiJson: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": Record<string, never>;
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getOverview: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Overview"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listPurges: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of purged files: sources, and products that were removed with theirs. */
        file_id?: number[];
        /** @description True: only purges that are done; false: only the others. */
        is_completed?: boolean;
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "file_id" | "-file_id" | "file_name" | "-file_name" | "file_path" | "-file_path" | "file_size" | "-file_size" | "phase" | "-phase" | "created" | "-created" | "completed" | "-completed" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PurgePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getPurge: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Purge"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listQueueClasses: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["QueueClassPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listQueueStatus: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["QueueStatusPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getReady: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Ready"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listRecipeTypes: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of recipe types. */
        id?: number[];
        /** @description True: active; false: deprecated. */
        is_active?: boolean;
        /** @description True: system types; false: those of users. */
        is_system?: boolean;
        /** @description Part of the name, title or description. */
        keyword?: string[];
        /** @description `key:value`, or `key` for any value. Of the values of one key any may match; each key must. */
        label?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: name. */
        order?: ("id" | "-id" | "name" | "-name" | "title" | "-title" | "description" | "-description" | "is_active" | "-is_active" | "is_system" | "-is_system" | "revision_num" | "-revision_num" | "created" | "-created" | "deprecated" | "-deprecated" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createRecipeType: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RecipeTypeCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypeDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeType: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypeDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteRecipeType: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editRecipeType: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RecipeTypeEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeTypeGrid: {
    parameters: {
      query?: {
        /** @description How many recipes. Default: 25. */
        recipes?: number;
      };
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeGrid"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listRecipeTypeRevisions: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypeRevisionPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeTypeRevision: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
        revision_num: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypeRevisionDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeTypeRevisionDifference: {
    parameters: {
      query: {
        /** @description The revision to compare with. */
        from: number;
      };
      header?: never;
      path: {
        name: string;
        revision_num: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RevisionDifference"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeTypeRevisionGraph: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
        revision_num: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypeGraph"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateRecipeType: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RecipeTypeValidation"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTypeValidationResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listRecipes: {
    parameters: {
      query?: {
        /** @description Ids of batches. */
        batch_id?: number[];
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: only completed recipes; false: only the others. */
        is_completed?: boolean;
        /** @description True: only superseded recipes; false: only the others. */
        is_superseded?: boolean;
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "recipe_type__id" | "-recipe_type__id" | "recipe_type__name" | "-recipe_type__name" | "recipe_type__title" | "-recipe_type__title" | "recipe_type__description" | "-recipe_type__description" | "recipe_type__revision_num" | "-recipe_type__revision_num" | "recipe_type_rev__id" | "-recipe_type_rev__id" | "recipe_type_rev__recipe_type__id" | "-recipe_type_rev__recipe_type__id" | "recipe_type_rev__revision_num" | "-recipe_type_rev__revision_num" | "event__id" | "-event__id" | "event__type" | "-event__type" | "event__rule" | "-event__rule" | "event__occurred" | "-event__occurred" | "recipe__id" | "-recipe__id" | "recipe__recipe_type__id" | "-recipe__recipe_type__id" | "recipe__recipe_type__name" | "-recipe__recipe_type__name" | "recipe__recipe_type__title" | "-recipe__recipe_type__title" | "recipe__recipe_type__description" | "-recipe__recipe_type__description" | "recipe__recipe_type__revision_num" | "-recipe__recipe_type__revision_num" | "recipe__recipe_type_rev__id" | "-recipe__recipe_type_rev__id" | "recipe__event__id" | "-recipe__event__id" | "batch__id" | "-batch__id" | "batch__title" | "-batch__title" | "batch__description" | "-batch__description" | "batch__created" | "-batch__created" | "is_superseded" | "-is_superseded" | "superseded_recipe__id" | "-superseded_recipe__id" | "input_file_size" | "-input_file_size" | "source_started" | "-source_started" | "source_ended" | "-source_ended" | "source_sensor_class" | "-source_sensor_class" | "source_sensor" | "-source_sensor" | "source_collection" | "-source_collection" | "source_task" | "-source_task" | "jobs_total" | "-jobs_total" | "jobs_pending" | "-jobs_pending" | "jobs_blocked" | "-jobs_blocked" | "jobs_queued" | "-jobs_queued" | "jobs_running" | "-jobs_running" | "jobs_failed" | "-jobs_failed" | "jobs_completed" | "-jobs_completed" | "jobs_canceled" | "-jobs_canceled" | "sub_recipes_total" | "-sub_recipes_total" | "sub_recipes_completed" | "-sub_recipes_completed" | "is_completed" | "-is_completed" | "state" | "-state" | "is_halted" | "-is_halted" | "created" | "-created" | "completed" | "-completed" | "superseded" | "-superseded" | "last_modified" | "-last_modified" | "recipe_type" | "-recipe_type")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Ids of recipes. */
        recipe_id?: number[];
        /** @description Ids of recipe types. */
        recipe_type_id?: number[];
        /** @description Names of recipe types. */
        recipe_type_name?: string[];
        /** @description Ids of recipes: all below them are listed, at any depth, but not they themselves. */
        root_recipe_id?: number[];
        /** @description Collections of the source data. */
        source_collection?: string[];
        /** @description End of the range, in the same two forms. Default: now. */
        source_ended?: string;
        /** @description Sensors of the source data. */
        source_sensor?: string[];
        /** @description Sensor classes of the source data. */
        source_sensor_class?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        source_started?: string;
        /** @description Tasks of the source data. */
        source_task?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
        /** @description States of recipes that are not complete; `is_completed` finds those that are. */
        state?: ("FAILED" | "RUNNING" | "QUEUED" | "BLOCKED" | "CANCELED" | "PENDING")[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createRecipe: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RecipeCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipe: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeChain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeChain"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeDifference: {
    parameters: {
      query?: {
        /** @description The recipe to compare with. Default: the one that it superseded. */
        from?: number;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeDifference"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeGraph: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeGraph"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listRecipeInputFiles: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Whole names. */
        file_name?: string[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Names of inputs. */
        recipe_input?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
        /** @description What `started` and `ended` are compared with; `last_modified` if not given. */
        time_field?: "last_modified" | "data" | "source";
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoredFilePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  reprocessRecipe: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RecipeReprocess"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReprocessPreview"];
        };
      };
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeTimeline: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeTimeline"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getRecipeWhy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecipeWhy"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listSavedFilters: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Lists that they filter, such as `jobs`. */
        list?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: list, title. */
        order?: ("id" | "-id" | "list" | "-list" | "title" | "-title" | "created" | "-created")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedFilterPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createSavedFilter: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SavedFilterCreate"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedFilter"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteSavedFilter: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listScans: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description `key:value`, or `key` for any value. Of the values of one key any may match; each key must. */
        label?: string[];
        /** @description Names. */
        name?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "name" | "-name" | "title" | "-title" | "description" | "-description" | "file_count" | "-file_count" | "created" | "-created" | "last_modified" | "-last_modified" | "job__id" | "-job__id" | "job__status" | "-job__status" | "dry_run_job__id" | "-dry_run_job__id" | "dry_run_job__status" | "-dry_run_job__status")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScanPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createScan: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ScanCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScanDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getScan: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScanDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteScan: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editScan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ScanEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getScanComparison: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScanComparison"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  processScan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ScanProcess"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScanDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  testScan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NamesTest"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TriedNames"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  cancelScan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Accepted; the work continues after the answer. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScanCanceled"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateScan: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ScanCheck"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ValidationResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getScheduler: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Scheduler"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editScheduler: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SchedulerEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getSchedulerQueuedResources: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["QueuedResources"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getSearch: {
    parameters: {
      query: {
        /** @description What is searched for. */
        text: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FoundObjects"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getSecretKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SecretKeys"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getStatus: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Status"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listStrikes: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of strikes. */
        id?: number[];
        /** @description Part of the name, title or description, in any case. */
        keyword?: string[];
        /** @description `key:value`, or `key` for any value. Of the values of one key any may match; each key must. */
        label?: string[];
        /** @description Names. */
        name?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "name" | "-name" | "title" | "-title" | "description" | "-description" | "is_paused" | "-is_paused" | "created" | "-created" | "last_modified" | "-last_modified" | "job__id" | "-job__id" | "job__status" | "-job__status")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StrikePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createStrike: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StrikeCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StrikeDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getStrike: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StrikeDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteStrike: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editStrike: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StrikeEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  testStrike: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["NamesTest"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TriedNames"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateStrike: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StrikeCheck"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StrikeCheckResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getTimelineJobTypes: {
    parameters: {
      query: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Ids of the types. */
        id?: number[];
        /** @description Names of the types. */
        name?: string[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started: string;
        /** @description Versions of the job types. */
        version?: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            count: number;
            results: components["schemas"]["JobTypeTimeline"][];
          };
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getTimelineRecipeTypes: {
    parameters: {
      query: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Ids of the types. */
        id?: number[];
        /** @description Names of the types. */
        name?: string[];
        /** @description Numbers of revisions. */
        rev?: number[];
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            count: number;
            results: components["schemas"]["RecipeTypeTimeline"][];
          };
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listTokens: {
    parameters: {
      query?: {
        /** @description Ids of accounts. */
        account_id?: number[];
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Field to sort by; `-` before it reverses. Default: id. */
        order?: ("id" | "-id" | "name" | "-name" | "scope" | "-scope" | "created" | "-created" | "expires" | "-expires" | "revoked" | "-revoked" | "last_used" | "-last_used")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccessTokenPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AccessTokenCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NewAccessToken"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getToken: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccessToken"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listTypeUpdates: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description True: only updates that are done; false: only the others. */
        is_completed?: boolean;
        /** @description Names of the job types and recipe types that have a new revision. */
        name?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: last_modified. */
        order?: ("id" | "-id" | "kind" | "-kind" | "type__id" | "-type__id" | "type__name" | "-type__name" | "type__version" | "-type__version" | "revision_num" | "-revision_num" | "status" | "-status" | "recipe_types_total" | "-recipe_types_total" | "recipe_types_raised" | "-recipe_types_raised" | "recipe_types_unchanged" | "-recipe_types_unchanged" | "recipe_types_behind" | "-recipe_types_behind" | "created" | "-created" | "completed" | "-completed" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TypeUpdatePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getTypeUpdate: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TypeUpdateDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getVersion: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Version"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listWorkspaces: {
    parameters: {
      query?: {
        /** @description End of the range, in the same two forms. Default: now. */
        ended?: string;
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Ids of workspaces. */
        id?: number[];
        /** @description True: active; false: deprecated. */
        is_active?: boolean;
        /** @description Part of the name, title or description, in any case. */
        keyword?: string[];
        /** @description `key:value`, or `key` for any value. Of the values of one key any may match; each key must. */
        label?: string[];
        /** @description Names. */
        name?: string[];
        /** @description Field to sort by; `-` before it reverses. Default: name. */
        order?: ("id" | "-id" | "name" | "-name" | "title" | "-title" | "description" | "-description" | "base_url" | "-base_url" | "is_active" | "-is_active" | "created" | "-created" | "deprecated" | "-deprecated" | "last_modified" | "-last_modified")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
        /** @description Start of the range: an ISO-8601 instant, or a duration before now. */
        started?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WorkspacePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createWorkspace: {
    parameters: {
      query?: never;
      header?: {
        /** @description Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; another body is refused with 422, a repeat while the first is being worked on with 409. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WorkspaceCreate"];
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WorkspaceDetails"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      422: components["responses"]["Unprocessable"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getWorkspace: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WorkspaceDetails"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteWorkspace: {
    parameters: {
      query?: {
        /** @description True: answers 200 with what the call would do, and changes nothing. */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeletionPreview"];
        };
      };
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editWorkspace: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WorkspaceEdit"];
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getWorkspaceFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
        path: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "*/*": string;
        };
      };
      /** @description The range that was asked for. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "*/*": string;
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      /** @description Outside the content, whose size `Content-Range` gives; there is no body. */
      416: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  putWorkspaceFile: {
    parameters: {
      query?: {
        /** @description True: record the file as a source, as an ingest does. */
        record?: boolean;
      };
      header?: never;
      path: {
        name: string;
        path: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/octet-stream": string;
      };
    };
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoredPath"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getWorkspaceUnrecorded: {
    parameters: {
      query?: {
        /** @description Only files after this path. */
        after?: string;
        /** @description Files to compare, 1,000 when absent. */
        limit?: number;
      };
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UnrecordedFiles"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createWorkspaceUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The version of tus that the client speaks. */
        "Tus-Resumable": "1.0.0";
        /** @description The size of the file in bytes. */
        "Upload-Length": number;
        /** @description Pairs of a key and a value in Base64, separated by commas: `path`, the path of the file in the workspace (default: `filename`); `record`, true to record the file as a source. Other keys are ignored. */
        "Upload-Metadata": string;
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Created; `Location` has the URL of the record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getWorkspaceUpload: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
      };
      header?: {
        /** @description The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body. */
        "if-none-match"?: string;
      };
      path: {
        name: string;
        upload: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Upload"];
        };
      };
      /** @description The record is as the `ETag` that was sent. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  addToWorkspaceUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The version of tus that the client speaks. */
        "Tus-Resumable": "1.0.0";
        /** @description Where the body continues: the number of bytes that the service has. */
        "Upload-Offset"?: number;
        /** @description The method. */
        "X-HTTP-Method-Override": "PATCH" | "DELETE";
      };
      path: {
        name: string;
        upload: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/offset+octet-stream": string;
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteWorkspaceUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The version of tus that the client speaks. */
        "Tus-Resumable": "1.0.0";
      };
      path: {
        name: string;
        upload: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  editWorkspaceUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The version of tus that the client speaks. */
        "Tus-Resumable": "1.0.0";
        /** @description Where the body continues: the number of bytes that the service has. */
        "Upload-Offset": number;
      };
      path: {
        name: string;
        upload: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/offset+octet-stream": string;
      };
    };
    responses: {
      /** @description Done; there is no body. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listWorkspacesUnreached: {
    parameters: {
      query?: {
        /** @description Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all. */
        fields?: string;
        /** @description Field to sort by; `-` before it reverses. Default: name. */
        order?: ("id" | "-id" | "name" | "-name")[];
        /** @description Page, from 1. */
        page?: number;
        /** @description Records on a page. */
        page_size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UnreachedWorkspacePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  validateWorkspace: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WorkspaceCheck"];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ValidationResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      413: components["responses"]["TooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      /** @description Overloaded or failed. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
}
