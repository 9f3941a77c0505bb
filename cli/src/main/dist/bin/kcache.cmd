@echo off
rem SPDX-License-Identifier: Apache-2.0
rem
rem Runs the kcache command of this distribution; "kcache -h" lists what it does. Needs Java 17 or newer.
rem
rem JAVA_HOME names the Java to use, which else is the java.exe on the PATH; KCACHE_JAVA_OPTS has more options for it.
rem
rem An argument with & | < > or ^ is given in double quotes, as to each batch file. Paths and arguments stand in no
rem block, which their own parentheses would end; delayed expansion would take each "!" from them.
setlocal enableextensions disabledelayedexpansion
for %%d in ("%~dp0..") do set "kc_home=%%~fd"
set "kc_problem='%kc_home%' has a ';' in its name, which no Java class path can hold; move it"
if not "%kc_home:;=%"=="%kc_home%" goto fail
set "kc_problem='%kc_home%\lib' lacks the jars of kcache; unpack the distribution again"
if not exist "%kc_home%\lib\kcache-cli-*.jar" goto fail
if not defined JAVA_HOME goto search
set "kc_jdk=%JAVA_HOME:"=%"
set "kc_java=%kc_jdk%\bin\java.exe"
set "kc_problem=JAVA_HOME is '%kc_jdk%', which has no bin\java.exe; set it to a JDK 17 or newer"
if not exist "%kc_java%" goto fail
goto version
:search
for %%j in (java.exe) do set "kc_java=%%~$PATH:j"
set "kc_problem=no java.exe found; install a JDK 17 or newer, or set JAVA_HOME"
if not defined kc_java goto fail
for %%d in ("%kc_java%\..\..") do set "kc_jdk=%%~fd"
:version
set "kc_version="
if exist "%kc_jdk%\release" for /f "usebackq tokens=1,2 delims==" %%a in ("%kc_jdk%\release") do if "%%a"=="JAVA_VERSION" set "kc_version=%%~b"
if not defined kc_version for /f "tokens=2,3" %%a in ('^""%kc_java%" -version 2^>^&1^"') do if "%%a"=="version" set "kc_version=%%~b"
set "kc_major=0"
for /f "delims=.-+_" %%a in ("%kc_version%") do set "kc_major=%%a"
if "%kc_major%"=="1" for /f "tokens=2 delims=." %%a in ("%kc_version%") do set "kc_major=%%a"
set "kc_problem='%kc_java%' is Java %kc_major%; kcache needs 17 or newer, set JAVA_HOME"
if %kc_major% lss 17 goto fail
set "kc_options=-Xlog:disable -XX:+UseSerialGC -XX:-UsePerfData -XX:TieredStopAtLevel=1 -XX:NewSize=8m"
if %kc_major% geq 24 set "kc_options=%kc_options% --enable-native-access=ALL-UNNAMED"
set "kc_archive=-Xshare:auto"
for %%v in (KCACHE_JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS) do if defined %%v goto options
rem Java starts faster with an archive of loaded classes. From 19 on it makes and renews one itself, at a prewarm.
if not defined LOCALAPPDATA goto run
if %kc_major% lss 19 goto run
set "kc_classes=%LOCALAPPDATA%\kcache-classes-%kc_version%.jsa"
if exist "%kc_classes%" set "kc_archive=-XX:SharedArchiveFile=%kc_classes%"
if not "%~1"=="prewarm" goto run
set "kc_archive=-XX:SharedArchiveFile=%kc_classes%"
set "kc_options=-XX:+AutoCreateSharedArchive %kc_options%"
goto run
:options
rem A Java that cannot start exits with 1, as a failed kernel does. Only options keep it from starting.
set "kc_problem=Java does not start; correct KCACHE_JAVA_OPTS, JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS or _JAVA_OPTIONS"
set | "%SystemRoot%\System32\find.exe" "jdwp" >nul
if not errorlevel 1 goto run
"%kc_java%" %KCACHE_JAVA_OPTS% -version >nul 2>&1
if "%errorlevel%"=="0" goto run
:fail
for %%m in ("%kc_problem%") do >&2 echo kcache: %%~m
exit /b 3
:run
"%kc_java%" "%kc_archive%" %kc_options% -Djna.platform.library.path= %KCACHE_JAVA_OPTS% -cp "%kc_home%\lib\*" dev.kcache.cli.Main %*
