"""The thing that a valid path names: THINGS, by operationId, each an id, what the path's names stand for,
or a function that makes a new thing."""
import administration
import exchange
import sd_jwt
import stored
from stored import PROFILES


def in_room(path, make):
    """Makes a new thing of a list, where its tenant may have only so many."""

    def make_new():
        stored.make_room(path)
        return make()

    return make_new


def of_profile(name, prefix):
    """The operations of compact or compact-semantic credentials."""
    profile = PROFILES[name]
    return {
        f"get{prefix}": profile.revocable,
        f"get{prefix}RevocationStatus": profile.revocable,
        f"set{prefix}RevocationStatus": profile.revocable,
        f"get{prefix}Template": profile.template,
        f"update{prefix}Template": profile.changed_template,
        f"sign{prefix}FromTemplate": profile.template,
    }


SUSPENDABLE = stored.SUSPENDABLE["id"]
MOBILE = stored.SIGNED_MOBILE["id"]
IACA = stored.IACA["id"]

THINGS = {
    **administration.THINGS,
    **exchange.THINGS,
    **sd_jwt.THINGS,
    "deleteDID": stored.new_did,
    "getWebSemanticCredentialTemplate": stored.TEMPLATE,
    "updateWebSemanticCredentialTemplate": stored.CHANGED_TEMPLATE,
    "deleteWebSemanticCredentialTemplate": stored.new_template,
    "signWebSemanticCredentialFromTemplate": stored.TEMPLATE,
    "getWebSemanticPresentationTemplate": stored.PRESENTATION_TEMPLATE,
    "updateWebSemanticPresentationTemplate": stored.PRESENTATION_TEMPLATE,
    "deleteWebSemanticPresentationTemplate": stored.new_presentation_template,
    "getWebSemanticPresentationRequest": stored.PRESENTATION_REQUEST,
    "getSignedPresentationRequest": stored.PRESENTATION_REQUEST,
    "getWebSemanticCredentialDetails": SUSPENDABLE,
    "getWebSemanticRevocationStatus": SUSPENDABLE,
    "setWebSemanticRevocationStatus": SUSPENDABLE,
    "setWebSemanticSuspensionStatus": SUSPENDABLE,
    "getWebSemanticStatusHistory": SUSPENDABLE,
    "webSemanticRevocationStatusNotification": SUSPENDABLE,
    "getWebSemanticRevocationStatusNotifications": SUSPENDABLE,
    "getCredential": SUSPENDABLE,
    "getCredentialTimeline": SUSPENDABLE,
    "getWebSemanticRevocation": stored.BULK_REVOCATION,
    "getWebSemanticCredentialRevocationList": stored.LIST_ID,
    "getPublishedStatusList": stored.LIST_ID,
    "getCredentialBatch": stored.BATCH,
    "pauseCredentialBatch": stored.BATCH,
    "resumeCredentialBatch": stored.BATCH,
    "cancelCredentialBatch": stored.BATCH,
    "revokeCredentialBatch": stored.BATCH,
    "getCredentialBatchErrors": stored.BATCH,
    "getCredentialBatchResults": stored.BATCH,
    **of_profile("compact", "CompactCredential"),
    **of_profile("compact-semantic", "CompactSemanticCredential"),
    "getCompactRevocationList": stored.COMPACT_LIST,
    "getCompactCredentialPdfTemplateById": stored.PDF_TEMPLATE,
    "updateCompactCredentialPdfTemplate": stored.CHANGED_PDF_TEMPLATE,
    "deleteCompactCredentialPdfTemplate": in_room(stored.PDF_TEMPLATES, stored.new_pdf_template),
    "getMobileCredential": MOBILE,
    "getMobileCredentialRevocationStatus": MOBILE,
    "setMobileCredentialRevocationStatus": MOBILE,
    "getMobileStatusList": stored.MOBILE_LIST,
    "getPublishedIacaCertificate": IACA,
    "getPublishedIacaCertificatePem": IACA,
    "getPublishedIacaCrl": IACA,
    "getMobileCredentialsIaca": IACA,
    "updateMobileCredentialsIaca": stored.CHANGED_IACA["id"],
    "deleteMobileCredentialsIaca": in_room(stored.IACAS, lambda: stored.new_iaca()["id"]),
    "getMobileCredentialsDocumentSigner": stored.SIGNER,
    "updateMobileCredentialsDocumentSigner": stored.CHANGED_SIGNER,
    "deleteMobileCredentialsDocumentSigner": in_room(stored.SIGNERS, stored.new_signer),
    "revokeMobileCredentialsDocumentSigner": in_room(stored.SIGNERS, stored.new_signer),
}


def name_thing(case, operation):
    thing = THINGS.get(operation)
    named = thing() if callable(thing) else thing
    if named is not None:
        case.path_parameters.update(named if isinstance(named, dict) else {"id": named})
