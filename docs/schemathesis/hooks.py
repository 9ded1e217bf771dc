"""Hooks of Schemathesis: see ../conformance.md. Needs BASE, TOKEN and an operator's account of a platform that nobody else uses."""
import re
import time
import uuid

import schemathesis

import administration
import stored
from bodies import WRITTEN, files
from paths import name_thing
from values import narrowed, usable

EMPTY = ([], "", "null", None, [None], [""], ["null"])


def batch(case, query):
    for name in {"templateId", "issuerDid"} & set(query):
        del query[name]
    if query.get("revocable") not in (True, "true"):
        query.pop("suspendable", None)
    if case.media_type == "text/csv":
        query.pop("format", None)
        case.body = "course\nCS-101\n"
    elif not str(case.body).strip():
        case.body = "{}\n"
    query_format = query.get("format", "web-semantic")
    foreign = {
        "web-semantic": {"documentSignerId"},
        "compact": {"documentSignerId", "proofType", "suspendable", "type", "context"},
        "compact-semantic": {"documentSignerId", "proofType", "suspendable", "type", "context"},
        "sd-jwt-vc": {"documentSignerId", "proofType", "suspendable", "type", "context"},
        "mobile": {"issuer", "proofType", "suspendable", "type", "context", "tag"},
    }[query_format]
    query["issuer"], query["proofType"] = stored.DID, "eddsa-rdfc-2022"
    if "documentSignerId" in query:
        query["documentSignerId"] = stored.SIGNER
    if "context" in query:
        query["context"] = [stored.V2]
    for name in foreign & set(query):
        del query[name]


def change_valid(case, operation):
    name_thing(case, operation)
    parameters = case.query = case.query or {}
    if "at" in parameters:
        parameters["at"] = "2020-01-01T00:00:00Z"
    if operation == "getLogCounts":
        parameters["dateFrom"], parameters["dateTo"] = stored.later(days=-1), stored.later()
    if operation == "createCredentialBatch":
        batch(case, parameters)
    if operation == "createTenantImport":
        administration.transfer(parameters)
    if not isinstance(case.body, dict):
        return
    case.body = body = usable(case.body)
    for member in ("issuer_did", "did", "from", "defaultIssuer"):
        if isinstance(body.get(member), str):
            body[member] = stored.DID
    if body.get("id") and "id" in (case.path_parameters or {}):
        body["id"] = case.path_parameters["id"]
    if "expiresTime" in body:
        body["expiresTime"] = int((time.time() + 3600) * 1000)
    if operation in WRITTEN:
        WRITTEN[operation](case, body)


def change_invalid(case):
    """Keeps a request invalid that would be valid as it is written, and the client that sends it."""
    if (case.path_parameters or {}).get("id") == administration.OWN_CLIENT:
        case.path_parameters["id"] = str(uuid.uuid4())
    for name in {"limit", "page"} & set(case.query or {}):
        if case.query[name] in EMPTY:  # written as no value or null, which the document allows
            case.query[name] = "none"
    if case.media_type == "multipart/form-data" and isinstance(case.body, dict) and "trusted_issuers" in case.body:
        case.body.pop("file", None)  # the parts of a list are texts, whatever they were


def with_known_patterns(schema):
    if isinstance(schema, list):
        return [with_known_patterns(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: narrowed(each) if name == "pattern" and isinstance(each, str) else with_known_patterns(each)
        for name, each in schema.items()
    }


@schemathesis.hook
def before_load_schema(context, raw_schema):
    raw_schema.update(with_known_patterns(raw_schema))


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch("[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if case.meta is None:
        return
    if case.meta.generation.mode.value == "positive":
        change_valid(case, case.operation.definition.raw.get("operationId"))
        kwargs.update(files(case))
    else:
        change_invalid(case)


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def text_of_rows(context, value):
    return value.encode() if isinstance(value, str) else b""  # a text cannot be invalid by its type


@schemathesis.serializer("application/zip")
def archive_of(context, value):
    return b""  # of a valid request, `files` replaces it


@schemathesis.serializer("application/gzip")
def export_of(context, value):
    return b""  # of a valid request, `files` replaces it


@schemathesis.deserializer("application/vc")
def credential_of(context, response):
    return response.json()
