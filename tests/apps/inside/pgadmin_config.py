"""The settings of pgAdmin; it reads them as ``config_local`` from the folder of its data."""

import os

DATA_DIR = os.path.dirname(os.path.abspath(__file__))
LOG_FILE = os.path.join(DATA_DIR, "pgadmin4.log")
SQLITE_PATH = os.path.join(DATA_DIR, "pgadmin4.db")
SESSION_DB_PATH = os.path.join(DATA_DIR, "sessions")
STORAGE_DIR = os.path.join(DATA_DIR, "storage")
AZURE_CREDENTIAL_CACHE_DIR = os.path.join(DATA_DIR, "azure")
KERBEROS_CCACHE_DIR = os.path.join(DATA_DIR, "krb")
DEFAULT_SERVER_PORT = int(os.environ.get("PGADMIN_PORT", "5050"))
UPGRADE_CHECK_ENABLED = False
MASTER_PASSWORD_REQUIRED = False
ENHANCED_COOKIE_PROTECTION = False
CHECK_EMAIL_DELIVERABILITY = False
SECURITY_EMAIL_VALIDATOR_ARGS = {"check_deliverability": False}
SECRET_KEY = "for tests only"
SHOW_GRAVATAR_IMAGE = False
