-- Who may do what in Paishe's database. Run by its owner after every `migrate`; running it again changes nothing.
--
--   psql -v ON_ERROR_STOP=1 -v owner=paishe_owner -v app=paishe_app -f roles.sql paishe
--
-- The owner (or a superuser) makes and changes tables and is used for `migrate`, backups and nothing else. The app's
-- role, under which web processes, worker and beat run, owns nothing: it can neither drop nor empty a table, nor change
-- one, nor switch a trigger off. Rows of append-only tables (those with a guard against UPDATE or DELETE, see
-- wallet/triggers.py) it may write and read, never change. Both roles must exist:
--
--   CREATE ROLE paishe_owner LOGIN PASSWORD '…';   CREATE ROLE paishe_app LOGIN PASSWORD '…' CONNECTION LIMIT 200;
--   CREATE DATABASE paishe OWNER paishe_owner;

BEGIN;

SELECT set_config('paishe.app', :'app', true);
SELECT set_config('paishe.owner', :'owner', true);

DO $$
DECLARE
  app text := current_setting('paishe.app');
  owner text := current_setting('paishe.owner');
  one record;
BEGIN
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = app AND (rolsuper OR rolcreaterole OR rolbypassrls)) THEN
    RAISE EXCEPTION 'role % must be an ordinary one', app;
  END IF;
  IF pg_has_role(app, owner, 'MEMBER') THEN
    RAISE EXCEPTION 'role % must not be a member of %', app, owner;
  END IF;

  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I', current_database(), app);
  EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO %I', current_database(), owner);
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), app);
  EXECUTE format('REVOKE ALL ON SCHEMA public FROM PUBLIC, %I', app);
  EXECUTE format('GRANT USAGE, CREATE ON SCHEMA public TO %I', owner);
  EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', app);

  EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO %I', app);
  EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM PUBLIC, %I', app);
  EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO %I', app);

  -- What the database keeps final is not the app's to change, guard or no guard.
  FOR one IN
    SELECT DISTINCT c.relname AS name, (t.tgtype & 16) > 0 AS no_update, (t.tgtype & 8) > 0 AS no_delete
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
      AND t.tgname ~ '^guard_.*_no_(update|delete)$'
  LOOP
    IF one.no_update THEN EXECUTE format('REVOKE UPDATE ON %I FROM %I', one.name, app); END IF;
    IF one.no_delete THEN EXECUTE format('REVOKE DELETE ON %I FROM %I', one.name, app); END IF;
  END LOOP;

  -- PostgreSQL asks for a right to change before it locks a row. Results are locked before they are taken back by new
  -- rows; their numbers are all the app may ask to change, and the guard refuses that too.
  IF to_regclass('public.games_seatresult') IS NOT NULL THEN
    EXECUTE format('GRANT UPDATE (id) ON games_seatresult TO %I', app);
  END IF;

  -- What migrations say of themselves is read only.
  IF to_regclass('public.django_migrations') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM %I', app);
  END IF;
END
$$;

COMMIT;
