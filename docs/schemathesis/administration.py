"""What belongs to the platform and to people, made as an operator who has an account (OPERATOR_EMAIL, OPERATOR_PASSWORD)."""
import base64
import json
import os
import time
import uuid

import stored
from stored import IMPORTED, TOKEN, api, example, send
from values import called

EMAIL, PASSWORD = os.environ["OPERATOR_EMAIL"], os.environ["OPERATOR_PASSWORD"]


def log_in():
    return json.loads(send("/v1/auth/login", {"email": EMAIL, "password": PASSWORD}, token=None))


LOGIN = log_in()
ACCOUNT = LOGIN["account_id"]


def claims_of(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


OWN_CLIENT = claims_of(TOKEN)["sub"]


def operator(path, body=None):
    return api(path, body, token=LOGIN["access_token"])


def new_slug():
    return f"s{uuid.uuid4().hex}"


def made(path, **more):
    """A thing from the document's example of its operation."""
    return lambda: operator(path, {**example(path), **more})["id"]


def with_slug(path, **more):
    return lambda: operator(path, {**example(path), "slug": new_slug(), **more})


ENVIRONMENT = made("/v1/environments")()


def new_tenant():
    return operator("/v1/tenants", {"environmentId": ENVIRONMENT, "subdomain": new_slug()})["id"]


TENANT, DELETED_TENANT = new_tenant(), new_tenant()
send(f"/v1/tenants/{DELETED_TENANT}", method="DELETE", token=LOGIN["access_token"])

ORGANIZATION = made("/v1/organizations")()


def ended(path, member, state):
    while operator(path)[member] != state:
        time.sleep(1)


def file_of_tenant():
    ended(f"/v1/tenants/{TENANT}", "status", "ready")
    path = f"/v1/tenants/{TENANT}/exports"
    path = f"{path}/{json.loads(send(path, method='POST', token=LOGIN['access_token']))['id']}"
    ended(path, "state", "DONE")
    return send(f"{path}/content", token=LOGIN["access_token"])


TENANT_FILE = file_of_tenant()


def other_session():
    """The id of a session that no request needs."""
    log_in()
    return next(each["id"] for each in operator("/v1/account/sessions")["data"] if not each["current"])


def new_client():
    return api("/v1/oauth2/clients", {"name": "A client", "description": "", "scopes": ["dids:read"]})["id"]


CLIENT, CHANGED_CLIENT = new_client(), new_client()

ECOSYSTEMS = "/v1/ecosystems"
new_ecosystem = made(ECOSYSTEMS)
ECOSYSTEM = new_ecosystem()


def new_participant():
    body = {**example(f"{ECOSYSTEMS}/{{ecosystemId}}/participants"), "identifiers": {"webSemantic": f"did:web:{new_slug()}.example"}}
    return operator(f"{ECOSYSTEMS}/{ECOSYSTEM}/participants", body)["id"]


def new_credential():
    body = {"name": "A diploma", "profile": "web-semantic", "type": f"Diploma{uuid.uuid4().hex}"}
    return operator(f"{ECOSYSTEMS}/{ECOSYSTEM}/credentials", body)["id"]


PARTICIPANT, CHANGED_PARTICIPANT = new_participant(), new_participant()
CREDENTIAL, CHANGED_CREDENTIAL = new_credential(), new_credential()


def allowed(role):
    """A credential that the participant is allowed, in the role."""
    credential = new_credential()
    operator(f"{ECOSYSTEMS}/{ECOSYSTEM}/participants/{PARTICIPANT}/{role}/credentials", {"credentialId": credential})
    return credential


def bound_tenant():
    send(f"{ECOSYSTEMS}/{ECOSYSTEM}/tenants/{TENANT}", {"participantId": PARTICIPANT}, method="PUT", token=LOGIN["access_token"])
    return TENANT


new_article = with_slug("/v1/help/articles")
new_category = with_slug("/v1/blog/categories")
new_policy = with_slug("/v1/legal/policies")
ARTICLE, CATEGORY, POLICY = new_article()["id"], new_category(), new_policy()["slug"]
new_post = with_slug("/v1/blog/posts", category_id=CATEGORY["id"])
POST = new_post()["id"]


def in_ecosystem(**children):
    """The ids of a path below the ecosystem; a function makes a new one."""
    return lambda: {"ecosystemId": ECOSYSTEM, **{name: child() if callable(child) else child for name, child in children.items()}}


def of_ecosystem(kind, name, thing, changed, new):
    return {
        f"getListOfEcosystem{kind}s": in_ecosystem(),
        f"createEcosystem{kind}": in_ecosystem(),
        f"getEcosystem{kind}": in_ecosystem(**{name: thing}),
        f"updateEcosystem{kind}": in_ecosystem(**{name: changed}),
        f"deleteEcosystem{kind}": in_ecosystem(**{name: new}),
    }


def in_role(name, role):
    return {
        f"getEcosystem{name}": in_ecosystem(),
        f"createEcosystem{name}": in_ecosystem(participantId=PARTICIPANT),
        f"deleteEcosystem{name}": in_ecosystem(participantId=PARTICIPANT, credentialId=lambda: allowed(role)),
    }


def slug(make):
    return lambda: {"slug": make()["slug"]}


CATEGORY_PATH, POLICY_PATH = {"slug": CATEGORY["slug"]}, {"slug": POLICY}

THINGS = {
    "getEnvironment": ENVIRONMENT,
    "updateEnvironment": ENVIRONMENT,
    "getTenant": TENANT,
    "updateTenant": TENANT,
    "deleteTenant": new_tenant,
    "getTenantDeletion": DELETED_TENANT,
    "getOrganization": ORGANIZATION,
    "updateOrganization": ORGANIZATION,
    "listOrganizationMembers": ORGANIZATION,
    "inviteOrganizationMember": ORGANIZATION,
    "updateOrganizationMember": {"id": ORGANIZATION, "accountId": ACCOUNT},
    "removeOrganizationMember": {"id": ORGANIZATION, "accountId": ACCOUNT},
    "endOwnSession": other_session,
    "getOAuth2Client": CLIENT,
    "updateOAuth2Client": CHANGED_CLIENT,
    "deleteOAuth2Client": new_client,
    "getEcosystem": in_ecosystem(),
    "updateEcosystem": in_ecosystem(),
    "deleteEcosystem": lambda: {"ecosystemId": new_ecosystem()},
    **of_ecosystem("Participant", "participantId", PARTICIPANT, CHANGED_PARTICIPANT, new_participant),
    **of_ecosystem("Credential", "credentialId", CREDENTIAL, CHANGED_CREDENTIAL, new_credential),
    **in_role("Issuer", "issuer"),
    **in_role("Verifier", "verifier"),
    "getEcosystemPolicy": in_ecosystem(),
    "dryRunEcosystemPolicy": in_ecosystem(),
    "getListOfEcosystemTenants": in_ecosystem(),
    "bindEcosystemTenant": in_ecosystem(tenantId=TENANT),
    "unbindEcosystemTenant": in_ecosystem(tenantId=bound_tenant),
    "getHelpArticle": ARTICLE,
    "updateHelpArticle": ARTICLE,
    "deleteHelpArticle": lambda: new_article()["id"],
    "getBlogPost": POST,
    "updateBlogPost": POST,
    "deleteBlogPost": lambda: new_post()["id"],
    "getBlogCategory": CATEGORY_PATH,
    "updateBlogCategory": CATEGORY_PATH,
    "deleteBlogCategory": slug(new_category),
    "getLegalPolicy": POLICY_PATH,
    "createLegalPolicyVersion": POLICY_PATH,
    "listLegalPolicyVersions": POLICY_PATH,
    "getLegalPolicyVersion": {**POLICY_PATH, "version": 1},
    "acceptLegalPolicy": POLICY_PATH,
    "listLegalPolicyAcceptances": POLICY_PATH,
}


def tenant(case, body):
    if "environmentId" in body:
        body["environmentId"], body["subdomain"] = ENVIRONMENT, new_slug()
    if body.get("organizationId"):
        body["organizationId"] = ORGANIZATION


def transfer(query):
    query["environmentId"], query["subdomain"] = ENVIRONMENT, new_slug()
    if "organizationId" in query:
        query["organizationId"] = ORGANIZATION


def organization(case, body):
    body["country"] = "DE"


def participant(case, body):
    for name in {"webSemantic", "compact", "compactSemantic"} & set(body["identifiers"]):
        if body["identifiers"][name]:
            body["identifiers"][name] = f"did:web:{new_slug()}.example"
    if body["identifiers"].get("mobile"):
        body["identifiers"]["mobile"] = [IMPORTED]


def credential_of_ecosystem(case, body):
    body["type"] = f"Diploma{uuid.uuid4().hex}"


def allowance(case, body):
    body["credentialId"] = CREDENTIAL


def binding(case, body):
    if body.get("participantId"):
        body["participantId"] = PARTICIPANT


CHANGES = dict(
    removeParticipant={"participantId": PARTICIPANT},
    removeCredential={"credentialId": CREDENTIAL},
    removeRole={"participantId": PARTICIPANT, "role": "issuer"},
    constrain={"participantId": PARTICIPANT, "role": "issuer"},
    takeCredential={"participantId": PARTICIPANT, "role": "issuer", "credentialId": CREDENTIAL},
)


def changes(case, body):
    body["changes"] = [{"change": each["change"], **CHANGES[each["change"]]} for each in body["changes"]][:1]


def content(case, body):
    if "slug" in body:
        body["slug"] = new_slug()
    if "category_id" in body:
        body["category_id"] = CATEGORY["id"]
    if body.get("image"):
        body["image"] = called(body["image"])


def client(case, body):
    if not body.get("reset_secret"):
        body.pop("secret_grace_seconds", None)


def registration(case, body):
    body["email"], body["password"] = f"{new_slug()}@university.example", PASSWORD


def login(case, body):
    body["email"], body["password"] = EMAIL, PASSWORD
    for name in ("totp", "tenantId"):
        body.pop(name, None)


def own_password(case, body):
    for name in {"password", "new_password"} & set(body):
        body[name] = PASSWORD


WRITTEN = {
    "createTenant": tenant,
    "updateTenant": tenant,
    "createOrganization": organization,
    "updateOrganization": organization,
    "createEcosystemParticipant": participant,
    "updateEcosystemParticipant": participant,
    "createEcosystemCredential": credential_of_ecosystem,
    "updateEcosystemCredential": credential_of_ecosystem,
    "createEcosystemIssuer": allowance,
    "createEcosystemVerifier": allowance,
    "bindEcosystemTenant": binding,
    "dryRunEcosystemPolicy": changes,
    "createHelpArticle": content,
    "createBlogCategory": content,
    "createBlogPost": content,
    "updateBlogPost": content,
    "createLegalPolicy": content,
    "updateOAuth2Client": client,
    "registerUser": registration,
    "loginUser": login,
    "changePassword": own_password,
    "enrolAuthenticator": own_password,
    "removeAuthenticator": own_password,
}
